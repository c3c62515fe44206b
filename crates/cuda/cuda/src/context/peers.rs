//! Peer access (`cuCtxEnablePeerAccess`): kernels of one context may access memory that was
//! allocated in contexts of another device ([`Gpu::can_reach`]).

use super::*;
use texunit_device::Device;

impl Context {
    fn peers(&self) -> MutexGuard<'_, Vec<Handle<Context>>> {
        lock(&self.peers)
    }

    /// Lets this context access memory of another context (`cuCtxEnablePeerAccess`).
    pub(crate) fn enable_peer(&self, peer: Handle<Context>) -> Answer {
        let other = peer.get()?;
        ensure!(
            peer != self.handle,
            CUresult::INVALID_CONTEXT,
            "peerContext is the current context itself: peers are two"
        );
        ensure!(
            self.gpu.can_reach(&other.gpu),
            CUresult::PEER_ACCESS_UNSUPPORTED,
            "device {} of the current context cannot reach the memory of device {} of peerContext: peers are two \
             devices of the same major compute capability (cuDeviceCanAccessPeer)",
            self.gpu.ordinal,
            other.gpu.ordinal
        );
        let mut peers = self.peers();
        ensure!(
            !peers.contains(&peer),
            CUresult::PEER_ACCESS_ALREADY_ENABLED,
            "access to context {peer:?} of device {} was enabled before",
            other.gpu.ordinal
        );
        peers.push(peer);
        self.gpu.device.use_arrays_of(&other.gpu.device);
        Ok(())
    }

    /// Ends the access to memory of another context (`cuCtxDisablePeerAccess`).
    pub(crate) fn disable_peer(&self, peer: Handle<Context>) -> Answer {
        peer.get()?;
        let mut peers = self.peers();
        let before = peers.len();
        peers.retain(|other| *other != peer);
        ensure!(
            peers.len() < before,
            CUresult::PEER_ACCESS_NOT_ENABLED,
            "access to context {peer:?} was not enabled (cuCtxEnablePeerAccess)"
        );
        Ok(())
    }

    /// The devices whose memory kernels of the context can access.
    pub(crate) fn peer_devices(&self) -> Vec<Device> {
        let peers = self.peers();
        let alive = peers.iter().filter_map(|peer| Context::registry().find(*peer));
        alive.map(|peer| peer.gpu.device.clone()).collect()
    }
}

/// Removes the peer access of other contexts to a context that ends, because a later primary
/// context has the same handle.
pub(crate) fn release_context(context: &Context) {
    for other in Context::registry().all(|_| true) {
        other.peers().retain(|peer| *peer != context.handle);
    }
}
