//! The registry of all systems by name, built-in and foreign ones alike.
//!
//! A [`Registry`] builds systems for one kind of media. Its [`Catalogue`] describes the same systems without the media;
//! configurations are checked against it.

use std::sync::{Arc, LazyLock};

use ssdlab_flash::Media;
use ssdlab_ftl::{Capacity, FtlKind, Impossible, Inputs, Mapping, Needs};
use ssdlab_policy::buffer::{BufferKind, BufferPolicy, Nature, Shape};
use ssdlab_policy::{Settings, buffer, cleaning, placement};

use crate::stack::moves;
use crate::{BufferMaker, Cause, Figure, Figures, FtlMaker, Stack};

pub use ssdlab_policy::buffer::NO_BUFFER;
pub use ssdlab_policy::{Entry, Family};

/// A buffer policy as configurations see it.
#[derive(Clone, Copy, Debug)]
pub struct BufferInfo {
    /// Its description.
    pub entry: Entry,
    /// What it is; `None` for "no buffer".
    pub nature: Option<Nature>,
    /// What it is with these settings, if they can matter for that.
    configured: Option<fn(&dyn Settings) -> Nature>,
}

impl BufferInfo {
    /// What it is with these settings; `None` for "no buffer".
    pub fn nature_with(&self, settings: &dyn Settings) -> Option<Nature> {
        self.configured.map(|of| of(settings)).or(self.nature)
    }
}

type NeedsOf = fn(&Inputs, &Capacity) -> Result<Needs, Impossible>;
type DefaultSpare = fn(&Inputs, Option<u32>) -> Option<u32>;

/// An FTL as configurations see it.
#[derive(Clone, Copy)]
pub struct FtlInfo {
    /// Its description.
    pub entry: Entry,
    /// The cause of its copies and erases: merges or cleaning.
    pub moves: Cause,
    /// What its map is of, if it says so.
    pub mapping: Option<Mapping>,
    needs: NeedsOf,
    default_spare_blocks: DefaultSpare,
}

impl FtlInfo {
    fn of<K: FtlKind>() -> Self {
        Self {
            entry: K::ENTRY,
            moves: moves::<K>(),
            mapping: K::MAPPING,
            needs: |inputs, capacity| K::needs(&K::configure(inputs), capacity),
            default_spare_blocks: K::default_spare_blocks,
        }
    }

    /// See [`FtlKind::needs`].
    ///
    /// # Errors
    /// Parameters that cannot work.
    pub fn needs(&self, inputs: &Inputs, capacity: &Capacity) -> Result<Needs, Impossible> {
        (self.needs)(inputs, capacity)
    }

    /// See [`FtlKind::default_spare_blocks`].
    pub fn default_spare_blocks(
        &self,
        inputs: &Inputs,
        logical_blocks: Option<u32>,
    ) -> Option<u32> {
        (self.default_spare_blocks)(inputs, logical_blocks)
    }
}

/// All systems that a configuration can name.
#[derive(Clone)]
pub struct Catalogue {
    buffers: Vec<BufferInfo>,
    ftls: Vec<FtlInfo>,
    cleanings: Vec<cleaning::Registered>,
    placements: Vec<placement::Registered>,
    figures: Figures,
}

impl Catalogue {
    /// The built-in systems.
    pub fn built_in() -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
            let mut catalogue = Catalogue::without_kinds();
            buffer::each_kind(&mut catalogue);
            ssdlab_ftl::each_kind(&mut catalogue);
            Arc::new(catalogue)
        });
        BUILT_IN.clone()
    }

    fn without_kinds() -> Self {
        Self {
            buffers: vec![BufferInfo {
                entry: buffer::NONE,
                nature: None,
                configured: None,
            }],
            ftls: Vec::new(),
            cleanings: cleaning::built_in(),
            placements: placement::built_in(),
            figures: Figures::default(),
        }
    }

    /// The buffer policies, "no buffer" first.
    pub fn buffers(&self) -> &[BufferInfo] {
        &self.buffers
    }

    /// The policies that a read buffer can have, "no buffer" first.
    pub fn read_buffers(&self) -> impl Iterator<Item = &BufferInfo> {
        let serves = |info: &&BufferInfo| info.nature.is_none_or(|nature| nature.serves_reads);
        self.buffers.iter().filter(serves)
    }

    /// The FTLs.
    pub fn ftls(&self) -> &[FtlInfo] {
        &self.ftls
    }

    /// The cleaning policies of page mapping.
    pub fn cleanings(&self) -> &[cleaning::Registered] {
        &self.cleanings
    }

    /// The placements of page mapping.
    pub fn placements(&self) -> &[placement::Registered] {
        &self.placements
    }

    /// The figures of runs.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The buffer policy of this name.
    pub fn buffer(&self, name: &str) -> Option<&BufferInfo> {
        self.buffers.iter().find(|info| info.entry.name == name)
    }

    /// The FTL of this name.
    pub fn ftl(&self, name: &str) -> Option<&FtlInfo> {
        self.ftls.iter().find(|info| info.entry.name == name)
    }

    /// The cleaning policy of this name.
    pub fn cleaning(&self, name: &str) -> Option<&cleaning::Registered> {
        self.cleanings.iter().find(|info| info.entry().name == name)
    }

    /// The placement of this name.
    pub fn placement(&self, name: &str) -> Option<&placement::Registered> {
        self.placements
            .iter()
            .find(|info| info.entry().name == name)
    }

    /// The descriptions of one family.
    pub fn entries(&self, family: Family) -> Vec<Entry> {
        match family {
            Family::Buffer => self.buffers.iter().map(|info| info.entry).collect(),
            Family::Ftl => self.ftls.iter().map(|info| info.entry).collect(),
            Family::Cleaning => self.cleanings.iter().map(|info| *info.entry()).collect(),
            Family::Placement => self.placements.iter().map(|info| *info.entry()).collect(),
        }
    }

    /// Makes sure that a new system of a family has a name of its own.
    ///
    /// # Panics
    /// If the name is taken.
    fn claim(&self, family: Family, name: &str) {
        let is_taken = self.entries(family).iter().any(|entry| entry.name == name);
        assert!(!is_taken, "a system named {name:?} is registered already");
    }
}

/// What a buffer policy is with these settings.
fn nature_of<B: BufferKind>(settings: &dyn Settings) -> Nature {
    B::nature(&B::configure(settings))
}

impl buffer::EachKind for Catalogue {
    fn kind<B: BufferKind>(&mut self) {
        self.buffers.push(BufferInfo {
            entry: B::ENTRY,
            nature: Some(B::NATURE),
            configured: Some(nature_of::<B>),
        });
    }
}

impl ssdlab_ftl::EachKind for Catalogue {
    fn kind<K: FtlKind>(&mut self) {
        self.ftls.push(FtlInfo::of::<K>());
    }
}

/// The descriptions of the built-in systems of a family.
pub fn built_in(family: Family) -> &'static [Entry] {
    static BUILT_IN: LazyLock<[Vec<Entry>; 4]> =
        LazyLock::new(|| Family::ALL.map(|family| Catalogue::built_in().entries(family)));
    &BUILT_IN[family as usize]
}

/// Foreign systems. One value adds them to the registries of all media: of the simulator, of power cuts, of a drive.
pub trait Plugins {
    /// Adds the systems.
    fn add<M: Media>(&self, registry: &mut Registry<M>);
}

impl Plugins for () {
    fn add<M: Media>(&self, _: &mut Registry<M>) {}
}

type ChooseBuffer<M> = dyn Fn(&dyn Settings) -> BufferMaker<M> + Send + Sync;
type ChooseFtl<M> = dyn Fn(&Inputs) -> FtlMaker<M> + Send + Sync;

/// The systems of a device by name, with their constructors for media of type `M`.
pub struct Registry<M: Media> {
    catalogue: Catalogue,
    /// In the order of the catalogue, without "no buffer".
    buffers: Vec<(&'static str, Arc<ChooseBuffer<M>>)>,
    /// In the order of the catalogue.
    ftls: Vec<(&'static str, Arc<ChooseFtl<M>>)>,
}

impl<M: Media> Clone for Registry<M> {
    fn clone(&self) -> Self {
        Self {
            catalogue: self.catalogue.clone(),
            buffers: self.buffers.clone(),
            ftls: self.ftls.clone(),
        }
    }
}

impl<M: Media> Default for Registry<M> {
    fn default() -> Self {
        Self::built_in()
    }
}

/// The systems that a configuration names, and their settings.
pub struct Selection<'a> {
    /// The name of the write buffer's policy.
    pub buffer: &'a str,
    /// The name of the read buffer's policy.
    pub read_buffer: &'a str,
    /// The name of the FTL.
    pub ftl: &'a str,
    /// The settings of all systems.
    pub inputs: Inputs<'a>,
}

impl<M: Media> Registry<M> {
    /// The built-in systems.
    pub fn built_in() -> Self {
        let mut registry = Self {
            catalogue: Catalogue::without_kinds(),
            buffers: Vec::new(),
            ftls: Vec::new(),
        };
        buffer::each_kind(&mut registry);
        ssdlab_ftl::each_kind(&mut registry);
        registry
    }

    /// The built-in systems and foreign ones.
    pub fn with(plugins: &impl Plugins) -> Self {
        let mut registry = Self::built_in();
        plugins.add(&mut registry);
        registry
    }

    /// The same systems without the media.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        Arc::new(self.catalogue.clone())
    }

    /// Adds a buffer policy that declares itself.
    ///
    /// # Panics
    /// If the name is taken, as with the other functions that add systems.
    pub fn add_buffer<B: BufferKind>(&mut self) -> &mut Self {
        self.add_buffer_with(B::ENTRY, B::NATURE, Some(nature_of::<B>), |settings| {
            BufferMaker::of::<B>(B::configure(settings))
        })
    }

    /// Adds a buffer policy. `configure` reads its keys and returns what builds it for the shape of each buffer.
    pub fn add_policy<B: BufferPolicy + 'static, N: Fn(&Shape) -> B + Send + Sync + 'static>(
        &mut self,
        entry: Entry,
        nature: Nature,
        configure: impl Fn(&dyn Settings) -> N + Send + Sync + 'static,
    ) -> &mut Self {
        self.add_buffer_with(entry, nature, None, move |settings| {
            BufferMaker::new(nature, configure(settings))
        })
    }

    fn add_buffer_with(
        &mut self,
        entry: Entry,
        nature: Nature,
        configured: Option<fn(&dyn Settings) -> Nature>,
        choose: impl Fn(&dyn Settings) -> BufferMaker<M> + Send + Sync + 'static,
    ) -> &mut Self {
        self.catalogue.claim(Family::Buffer, entry.name);
        self.catalogue.buffers.push(BufferInfo {
            entry,
            nature: Some(nature),
            configured,
        });
        self.buffers.push((entry.name, Arc::new(choose)));
        self
    }

    /// Adds an FTL.
    pub fn add_ftl<K: FtlKind>(&mut self) -> &mut Self {
        self.catalogue.claim(Family::Ftl, K::ENTRY.name);
        self.catalogue.ftls.push(FtlInfo::of::<K>());
        let choose = |inputs: &Inputs| FtlMaker::of::<K>(K::configure(inputs));
        self.ftls.push((K::ENTRY.name, Arc::new(choose)));
        self
    }

    /// Adds a cleaning policy of page mapping.
    pub fn add_cleaning(&mut self, policy: cleaning::Registered) -> &mut Self {
        self.catalogue.claim(Family::Cleaning, policy.entry().name);
        self.catalogue.cleanings.push(policy);
        self
    }

    /// Adds a placement of page mapping.
    pub fn add_placement(&mut self, placement: placement::Registered) -> &mut Self {
        self.catalogue
            .claim(Family::Placement, placement.entry().name);
        self.catalogue.placements.push(placement);
        self
    }

    /// Adds a figure of runs.
    pub fn add_figure(&mut self, figure: Figure) -> &mut Self {
        self.catalogue.figures.add(figure);
        self
    }

    /// The selected systems.
    ///
    /// # Panics
    /// If no system has a selected name.
    pub fn stack(&self, selection: &Selection) -> Stack<M> {
        let buffer = |name: &str| {
            (name != NO_BUFFER).then(|| found(&self.buffers, name)(selection.inputs.settings))
        };
        let ftl = found(&self.ftls, selection.ftl)(&selection.inputs);
        Stack::new(ftl)
            .with_buffer(buffer(selection.buffer))
            .with_read_buffer(buffer(selection.read_buffer))
    }
}

fn found<'a, T: ?Sized>(systems: &'a [(&'static str, Arc<T>)], name: &str) -> &'a T {
    let system = systems.iter().find(|(other, _)| *other == name);
    let (_, choose) = system.unwrap_or_else(|| panic!("no system named {name:?} is registered"));
    choose
}

impl<M: Media> buffer::EachKind for Registry<M> {
    fn kind<B: BufferKind>(&mut self) {
        self.add_buffer::<B>();
    }
}

impl<M: Media> ssdlab_ftl::EachKind for Registry<M> {
    fn kind<K: FtlKind>(&mut self) {
        self.add_ftl::<K>();
    }
}
