// What the page does, seen from inside it: appended to a copy of the page by `cargo xtask web --test`, which compares what is posted.
(async () => {
  "use strict";
  const found = {};
  const wait = async (holds, what, limit = 120000) => {
    const began = performance.now();
    while (!holds()) {
      if (performance.now() - began > limit) throw new Error(`${what}: nothing within ${limit} ms`);
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const idle = () => wait(() => !running, "a run ends");
  const drop = (name, bytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name));
    dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
  };
  const hash = async (to) => {
    const before = shown.try;
    location.hash = to;
    await wait(() => shown.try !== before, "the address is read");
    await wait(() => running, "a run begins", 2000).catch(() => {});
    await idle();
  };
  const tests = {
    // counters of the configurations
    async configurations() {
      // as texts: a number of this language would not be 1.0
      const saved = [];
      for (const question of given.configurations) {
        const file = question.file ? await bytesOf(question.file) : undefined;
        await runs.ask({ call: "compare", ...question }, { file });
        saved.push(await runs.ask({ call: "saved", as_file: "json" }));
      }
      return saved;
    },
    // the first paint, and a million requests on 1 GiB, ms
    async speed() {
      const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      const question = { workload: "zipf --requests 1000000 --capacity 1GiB --seed 1", preset: "bplru-2008", buffer: ["lru"], size: ["16MiB"], "no-bounds": true, "no-advice": true };
      const began = performance.now();
      await runs.ask({ call: "compare", ...question });
      return { paint, million: performance.now() - began };
    },
    // the way of a stranger: the part is chosen, two fields are filled in; from the start of the page, and from the button on, ms
    async stranger() {
      document.querySelector("a[href='#life']").click();
      await wait(() => !$("part-life").hidden, "the part");
      $("life-asked").elements.drive.value = "990 PRO 2TB";
      $("life-asked").elements.rate.value = "150GB/day";
      const asked = performance.now();
      $("life-asked").requestSubmit();
      await wait(() => $("life-answer").querySelector("dl"), "an answer");
      const now = performance.now();
      return { start: now, button: now - asked, says: $("life-answer").innerText };
    },
    // own files, by their sentences or their refusals
    async dropped() {
      await hash("#try?source=file&preset=bplru-2008&buffer=lru,fab&size=1MiB&advice=no");
      const said = {};
      for (const [name, text] of Object.entries(given.files)) {
        const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        drop(name, bytes);
        await wait(() => $("file-name").textContent.startsWith(name), "the name");
        await run();
        said[name] = $("error").hidden ? $("sentence").textContent : $("error").textContent;
      }
      return said;
    },
    // a link gives the same settings and the same result
    async links() {
      await hash("#try?source=generate&kind=zipf&requests=3000&seed=5&capacity=16MiB&more=--theta+0.8&preset=bplru-2008&set=ftl.log_blocks%3D14&buffer=lru,bplru&size=1MiB,2MiB&bounds=no&advice=no&run=1");
      const first = [location.hash, $("sentence").textContent, $("command").textContent];
      await hash("#try?source=generate&kind=uniform&requests=10&capacity=16MiB&buffer=none&advice=no");
      await hash(first[0]);
      return [first, [location.hash, $("sentence").textContent, $("command").textContent]];
    },
    // a run that is cancelled ends at once, and the next one works
    async cancel() {
      await hash("#try?source=generate&kind=uniform&requests=20000000&seed=5&capacity=1GiB&preset=bplru-2008&buffer=lru,bplru,fab&advice=no");
      form.requestSubmit();
      await wait(() => running && runs && !$("progress").hidden, "progress");
      await new Promise((done) => setTimeout(done, 300));
      const began = performance.now();
      $("cancel").click();
      await idle();
      const took = performance.now() - began;
      const says = $("answer").textContent;
      await hash("#try?source=generate&kind=uniform&requests=2000&seed=5&capacity=16MiB&preset=bplru-2008&buffer=lru&size=1MiB&advice=no&run=1");
      return { took, says, after: $("sentence").textContent };
    },
    // by keys only, forward and back
    async see() {
      location.hash = "#see?example=table-1-lru";
      await wait(() => walk && $("drawn").querySelector("svg"), "a picture");
      const says = walk.frames.filter((frame) => frame.says.includes("full merge")).length;
      const press = (key) => { const frame = at; $("drawn").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })); return [frame, at]; };
      const moved = [press("ArrowRight"), press("ArrowRight"), press("ArrowLeft"), press("End"), press("Home")];
      const before = $("drawn").innerHTML;
      await go(5);
      await go(4);
      const back = $("drawn").innerHTML;
      await go(walk.frames.length - 1);
      await go(4);
      return { says, moved, same: back === $("drawn").innerHTML, changed: before !== back, address: location.hash, explained: $("explained").textContent };
    },
    async life() {
      location.hash = "#life";
      await wait(() => !$("part-life").hidden, "the part");
      $("life-asked").elements.log.value = given.log;
      $("life-asked").elements.rate.value = "20GB/day";
      $("life-asked").requestSubmit();
      await wait(() => $("life-answer").querySelector("dl"), "an answer");
      return $("life-answer").innerText;
    },
    // nothing is wider than the window
    async narrow() {
      const wide = {};
      for (const [part, address] of [["try", "#try?source=sample&preset=bplru-2008&buffer=lru,fab&size=1MiB,4MiB&advice=no&run=1"], ["see", "#see?example=cleaning&at=20"], ["life", "#life?drive=860+EVO+1TB&written=40TB"]]) {
        location.hash = address;
        await wait(() => !$("part-" + part).hidden, part);
        await new Promise((done) => setTimeout(done, 600));
        await idle();
        wide[part] = document.documentElement.scrollWidth - innerWidth;
      }
      return wide;
    },
    // for a picture: opens an address and waits until all is there
    async picture() {
      location.hash = given.address;
      await new Promise((done) => setTimeout(done, 1200));
      await idle();
      await new Promise((done) => setTimeout(done, 600));
    },
  };
  try {
    await wait(() => document.body.dataset.state, "the page starts");
    if (document.body.dataset.state !== "ready") throw new Error($("error").textContent);
    for (const name of given.tests) {
      const began = performance.now();
      found[name] = await tests[name]();
      console.log(`${name}: ${Math.round(performance.now() - began)} ms`);
    }
  } catch (error) {
    found.failed = String(error.stack ?? error);
  }
  await fetch(given.done, { method: "POST", mode: "no-cors", body: JSON.stringify(found) });
})();
