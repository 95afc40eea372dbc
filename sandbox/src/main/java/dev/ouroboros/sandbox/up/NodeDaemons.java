package dev.ouroboros.sandbox.up;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.manifest.ContainerdSettings;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.node.NodeFiles;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Services;
import java.nio.file.Path;
import java.util.Collection;

/** What every node of a sandbox runs: containerd and a kubelet. */
final class NodeDaemons {
    private final Services services;
    private final Disk disk;

    NodeDaemons(Services services, Disk disk) {
        this.services = services;
        this.disk = disk;
    }

    /** Sets up and starts the first node's containerd, and waits until it answers. */
    void startContainerd(UpState state, RegistryAccess registryAccess) {
        services.startContainerd(
                state.node(),
                new ContainerdSettings(state.image(BuiltImage.PAUSE), false, services.mayLowerOomScore(), true),
                registryAccess);
    }

    /** Installs what the first node runs outside of pods, and starts its kubelet. */
    void startKubelet(SandboxNode first, UpState state) {
        NodeFiles files = new NodeFiles(disk, state.node());
        startKubelet(
                first,
                state.node(),
                state.cluster(),
                state.image(BuiltImage.PAUSE),
                state.binaries().outsideOfPods().values(),
                files.joining());
    }

    /** Sets up and starts containerd as the first node has it. */
    void startContainerdAs(RunningNode first, RunningNode running) {
        services.startContainerdAs(first, running);
    }

    /** Installs what the first node runs outside of pods, and starts a kubelet that joins. */
    void startKubeletAs(
            RunningNode first, SandboxNode node, RunningNode running, ClusterFacts cluster, NodeFiles.Joining joining) {
        String pause = services.pauseImage(first)
                .orElseThrow(() -> new IllegalStateException("the first node's containerd is set up"));
        new NodeFiles(disk, running).installKubeconfigOf(first);
        startKubelet(node, running, cluster, pause, new NodeFiles(disk, first).programs(), joining);
    }

    private void startKubelet(
            SandboxNode node,
            RunningNode running,
            ClusterFacts cluster,
            String pause,
            Collection<Path> programs,
            NodeFiles.Joining joining) {
        NodeFiles files = new NodeFiles(disk, running);
        files.installPrograms(programs);
        files.installShell();
        VersionFacts facts = VersionFacts.of(cluster.version());
        var settings = NodeSettings.kubelet(cluster, node.name(), node.requireAddress(), node.cgroupRoot(), pause);
        if (running.guardsKubelet()) {
            files.installKubelet(settings, facts, joining);
            services.startKubelet(running);
        } else {
            // A node of an earlier ouro, as it runs: it has its kubelet as that one installed it.
            services.startKubeletAsItWas(running);
        }
    }
}
