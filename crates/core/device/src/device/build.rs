//! New devices, and devices on flash that was used before.

use ssdlab_flash::{Array, Fault, Media, Payload};
use ssdlab_ftl::{Ftl, FtlError, RamImage};
use ssdlab_timing::{Deviation, Schedule};

use super::{BeyondCapacity, Device, NotAged};
use crate::core::{Chip, Chips, Core};
use crate::{BuildError, Cause, Parameters, Precondition, Reads, Stack, TimeModel};

impl<P: Payload> Device<Array<P>> {
    /// A device with a new flash array, preconditioned and aged as the parameters say.
    pub fn fresh(parameters: &Parameters, stack: &Stack<Array<P>>) -> Result<Self, BuildError> {
        Self::fresh_on(parameters, stack, Ok)
    }
}

impl<M: Media> Device<M> {
    /// Like [`Device::fresh`], with a wrapper around the array of each chip.
    pub fn fresh_on(
        parameters: &Parameters,
        stack: &Stack<M>,
        wrap: impl FnMut(Array<M::Data>) -> Result<M, Fault>,
    ) -> Result<Self, BuildError> {
        let mut device = Self::unaged_on(parameters, stack, wrap)?;
        match device.age(&parameters.precondition, &mut || false) {
            Ok(()) | Err(NotAged::Stopped) => Ok(device),
            Err(NotAged::Failed(error)) => Err(BuildError::Ageing(error)),
        }
    }

    /// Like [`Device::fresh_on`], but not aged yet: [`Device::age`] does it.
    ///
    /// # Errors
    /// The parameters cannot work, or the flash failed.
    pub fn unaged_on(
        parameters: &Parameters,
        stack: &Stack<M>,
        mut wrap: impl FnMut(Array<M::Data>) -> Result<M, Fault>,
    ) -> Result<Self, BuildError> {
        parameters.check(stack)?;
        let geometry = parameters.chip_geometry(stack);
        let full = parameters.precondition != Precondition::Empty;
        let needs = parameters.needs(stack);
        let mut chip = || {
            let mut array = Array::new(geometry.clone(), stack.program_order());
            if full && geometry.physical_blocks() > 0 {
                array.precondition()?;
                if let Some(map) = needs.map {
                    array.precondition_own(map.entries)?;
                }
            }
            wrap(array)
        };
        let chips = (0..parameters.flash.separate_chips()).map(|_| chip());
        let chips = chips.collect::<Result<_, Fault>>()?;
        Ok(Self::fresh_with(parameters, stack, chips))
    }

    /// A device on flash that is as new, chip by chip: erased, or with every page written once in order, as the
    /// parameters say. It is not aged. The parameters must have passed [`Parameters::check`].
    ///
    /// # Panics
    /// If the number of chips differs from the parameters.
    pub fn fresh_with(parameters: &Parameters, stack: &Stack<M>, media: Vec<M>) -> Self {
        assert_eq!(media.len(), parameters.flash.separate_chips() as usize);
        let geometry = parameters.chip_geometry(stack);
        let full = parameters.precondition != Precondition::Empty;
        let fresh = |media| (media, stack.ftl_maker().fresh(&geometry, full));
        Self::assemble(parameters, stack, media.into_iter().map(fresh).collect())
    }

    /// Mounts flash that was used before, given chip by chip. Tables are rebuilt from the spare areas, counters start
    /// at 0, and the buffer is empty. An error returns the flash.
    ///
    /// # Panics
    /// If the number of chips differs from the parameters.
    pub fn mount(
        parameters: &Parameters,
        stack: &Stack<M>,
        media: Vec<M>,
    ) -> Result<Self, (Vec<M>, FtlError)> {
        Self::mount_with(parameters, stack, media, &[])
    }

    /// Like [`Device::mount`], with the states that the batteries of the RAM regions kept ([`Device::ram`]), or an
    /// empty slice. Keep these states until the mount has succeeded.
    ///
    /// # Panics
    /// If the number of chips differs from the parameters.
    pub fn mount_with(
        parameters: &Parameters,
        stack: &Stack<M>,
        media: Vec<M>,
        ram: &[RamImage<M::Data>],
    ) -> Result<Self, (Vec<M>, FtlError)> {
        let mut device = Self::mount_flash(parameters, stack, media)?;
        match device.core.restore_ram(ram) {
            Ok(()) => Ok(device),
            Err(error) => Err((device.into_media(), error)),
        }
    }

    fn mount_flash(
        parameters: &Parameters,
        stack: &Stack<M>,
        mut media: Vec<M>,
    ) -> Result<Self, (Vec<M>, FtlError)> {
        assert_eq!(media.len(), parameters.flash.separate_chips() as usize);
        let ftls: Result<Vec<_>, _> = media
            .iter_mut()
            .map(|media| stack.ftl_maker().mount(media))
            .collect();
        match ftls {
            Ok(ftls) => Ok(Self::assemble(
                parameters,
                stack,
                media.into_iter().zip(ftls).collect(),
            )),
            Err(error) => Err((media, error)),
        }
    }

    /// Needs at least one chip.
    fn assemble(
        parameters: &Parameters,
        stack: &Stack<M>,
        chips: Vec<(M, Box<dyn Ftl<M>>)>,
    ) -> Self {
        let geometry = parameters.geometry(stack);
        let stage = stack.stage(&geometry, parameters);
        let needs = parameters.needs(stack);
        let learns = stage.learns() && stack.moves() == Cause::Merge;
        let chips = chips.into_iter().map(|(mut media, ftl)| {
            // those of a mount are none of a request
            media.notes().into_iter().for_each(Vec::clear);
            let mut chip = Chip::new(media, ftl, parameters.flash.copy_back);
            chip.env.set_costs(needs.aware.costs);
            if parameters.timing.model == TimeModel::Drive {
                chip.env.sense_groups(parameters.timing.today.group_pages);
            }
            if learns {
                chip.env.keep_moved();
            }
            chip
        });
        let buffer = &parameters.buffer;
        let has_write_buffer = stack.buffer().is_some();
        let setup = || parameters.setup(stack);
        let has_clocks = parameters.has_clocks::<M>();
        let schedule = has_clocks.then(|| Box::new(Schedule::new(&setup())));
        let deviation = match parameters.is_sum_of_notes::<M>() {
            true => Deviation::new(&setup()).map(Box::new),
            false => None,
        };
        Self {
            stage,
            core: Core::new(
                geometry.clone(),
                Chips::new(chips, parameters.flash.stripes()),
                stack.read_stage(&geometry, parameters),
                parameters.read_buffer_takes_writes,
                &needs,
                has_write_buffer,
                (schedule, deviation),
            ),
            completions: None,
            erased_before: Vec::new(),
            placed_before: Vec::new(),
            future: stack.future().filter(|_| needs.future).cloned(),
            heard: 0,
            timing: parameters.timing.clone(),
            of_cells: parameters
                .has_clocks::<M>()
                .then(|| parameters.timing.of_cells(&parameters.flash)),
            of_energy: parameters
                .energy
                .map(|energy| energy.as_times(&parameters.flash)),
            served_ns: None,
            capacity: parameters.flash.capacity,
            beyond_capacity: BeyondCapacity::Refused,
            partial_writes: parameters.partial_writes,
            moves: stack.moves(),
            stream: 0,
            has_write_buffer,
            reads_enter: has_write_buffer && buffer.reads == Reads::Cache
                || stack.read_buffer().is_some(),
            drains_at_end: parameters.drain,
            ftls_use_time: needs.trace_time,
            idle_ns: [needs.idle_cleaning_ns, needs.slc_idle_ns],
            pages_age: has_write_buffer && buffer.flush_age_ns > 0,
        }
    }
}
