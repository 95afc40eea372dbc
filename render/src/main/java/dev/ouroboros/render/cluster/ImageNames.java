package dev.ouroboros.render.cluster;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.model.version.ProductVersion;

/**
 * Images of a cluster by reference. In each the component's binary is at {@code /usr/local/bin} and on PATH, as in the images of
 * registry.k8s.io, so that either kind works.
 */
public record ImageNames(
        String apiServer, String controllerManager, String scheduler, String proxy, String keeper, String steward) {
    private static final String LOCAL = "localhost/ouroboros/";

    /** The images that {@code ouro images} builds: their tags are versions without the leading v. */
    public static ImageNames local(KubernetesVersion version) {
        return new ImageNames(
                local(Component.API_SERVER.image(), version.number()),
                local(Component.CONTROLLER_MANAGER.image(), version.number()),
                local(Component.SCHEDULER.image(), version.number()),
                local(Component.PROXY.image(), version.number()),
                local(Component.KEEPER.image(), ProductVersion.current()),
                local(Component.STEWARD.image(), ProductVersion.current()));
    }

    /** Whether a reference is of an image that {@code ouro images} makes, and no registry has. */
    public static boolean isLocal(String reference) {
        return reference.startsWith(LOCAL);
    }

    /** Reference of an image of ours, as in {@code localhost/ouroboros/etcd:3.4.23}; also for etcd and pause. */
    public static String local(String name, String tag) {
        // A tag cannot hold the plus sign that a version may have.
        return LOCAL + name + ":" + tag.replace('+', '_');
    }
}
