package dev.ouroboros.cli.kubelet;

import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.facts.SkewPolicy;
import dev.ouroboros.facts.SkewRule;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.VersionReader;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.kubelet.KubeletPrograms;
import dev.ouroboros.render.manifest.KubeletSettings;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Another kubelet, as a file of this machine.
 *
 * @param version that it says of itself
 * @param digest SHA-256 of its content
 */
public record KubeletProgram(Path file, KubernetesVersion version, String digest) {
    /** @throws ProblemException NOT_FOUND when there is no such file; PROCESS_FAILED when it is no kubelet that this machine can run; UNSUPPORTED_VERSION */
    public static KubeletProgram of(Path file) {
        if (!Files.isRegularFile(file)) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND, file.toString(), "is no file", "a kubelet", "give the path of one");
        }
        String said = new VersionReader(ThisMachine.processes()).read(Binary.KUBELET, file.toAbsolutePath());
        KubernetesVersion version = KubernetesVersion.parse(said)
                .filter(parsed -> VersionFacts.supported().contains(parsed))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.UNSUPPORTED_VERSION,
                        file.toString(),
                        "is a kubelet " + said,
                        VersionFacts.supported().describe(),
                        "give one of these"));
        return new KubeletProgram(file, version, KubeletPrograms.digest(file));
    }

    /** The wish for this program, with the settings that its version needs. */
    public KubeletWish wish() {
        return KubeletSettings.wishFor(VersionFacts.of(version), new KubeletWish.Program(version.tag(), digest));
    }

    /**
     * Requires that the version skew policy allows this kubelet beside an API server.
     *
     * @param server version of the API server
     * @throws ProblemException UNSUPPORTED_VERSION when it does not
     */
    void requireSkew(String server) {
        Optional<KubernetesVersion> served = KubernetesVersion.parse(server);
        Optional<SkewRule> broken = SkewPolicy.load().rules().stream()
                .filter(rule -> rule.component().equals(Component.KUBELET.id())
                        && rule.than().equals(Component.API_SERVER.id()))
                .filter(rule -> served.isPresent() && !rule.allows(version, served.get()))
                .findFirst();
        if (broken.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_VERSION,
                    "kubelet " + version.tag(),
                    "does not go with the cluster's API server, which is " + server,
                    broken.get().limit(),
                    "upgrade the control plane first (ouro upgrade), or give another kubelet");
        }
    }

    /** Copies it to the running nodes of a sandbox, or to the node that this machine is; for any other cluster nothing is done. */
    public void bring(StatusTarget target, Consumer<String> lines) {
        places(target).forEach((node, directory) -> {
            boolean brought = new KubeletPrograms(ThisMachine.disk(), directory).bring(file, digest);
            lines.accept("kubelet " + version.tag() + (brought ? " is on " : " was already on ") + node);
        });
    }

    /** By node where its directory is for us. */
    private static SortedMap<String, Path> places(StatusTarget target) {
        SortedMap<String, Path> places = new TreeMap<>();
        Path directory = Path.of(KubeletLayout.DIRECTORY);
        Optional<Sandbox> sandbox = target.sandbox();
        if (sandbox.isPresent()) {
            for (SandboxNode node : sandbox.get().nodes()) {
                node.running().map(running -> running.file(directory)).ifPresent(path -> places.put(node.name(), path));
            }
        } else if (Files.exists(directory.resolve(KubeletLayout.GUARD))) {
            places.put("this machine", directory);
        }
        return places;
    }
}
