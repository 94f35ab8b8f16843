// Answers questions with the WebAssembly module, one after the other.
"use strict";
let exported;
let current;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const memory = (at, length) => new Uint8Array(exported.memory.buffer, at, length);

const imports = {
  page: {
    told(at, length) {
      // a copy: the memory may grow while the page reads it
      postMessage({ id: current, told: decoder.decode(memory(at, length).slice()) });
    },
  },
};

const put = (bytes) => {
  const at = exported.room(bytes.length);
  if (at === 0) throw new Error(`no memory for ${bytes.length} bytes`);
  memory(at, bytes.length).set(bytes);
  return at;
};

onmessage = async ({ data }) => {
  if (data.module) {
    const made = await WebAssembly.instantiate(data.module, imports);
    exported = (made.instance ?? made).exports;
    return postMessage({ ready: true });
  }
  current = data.id;
  try {
    const question = encoder.encode(JSON.stringify(data.question));
    const file = new Uint8Array(data.file ?? 0);
    const length = exported.call(put(question), question.length, put(file), file.length);
    postMessage({ id: data.id, answer: decoder.decode(memory(exported.answer(), length).slice()) });
  } catch (error) {
    postMessage({ id: data.id, failed: String(error) });
  }
};
