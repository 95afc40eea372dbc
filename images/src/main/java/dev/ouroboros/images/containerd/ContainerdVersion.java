package dev.ouroboros.images.containerd;

import dev.ouroboros.facts.CriPairing;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Of the containerd that a machine has, or that Debian would give it. */
public final class ContainerdVersion {
    private static final Pattern INSTALLED = Pattern.compile("(?m)^containerd \\S+ v?(\\d+\\.\\d+\\.\\d+)");
    private static final Pattern OFFERED = Pattern.compile("(?m)^ *Candidate: (\\d+\\.\\d+\\.\\d+)");

    private final Processes processes;

    public ContainerdVersion(Processes processes) {
        this.processes = processes;
    }

    /**
     * What stands against it; empty also when nobody can tell its version.
     *
     * @param missing whether it is to be installed yet
     * @throws ProblemException MISSING_TOOL when it is neither installed nor said to be missing
     */
    public Optional<Problem> unfitFor(KubernetesVersion kubelet, boolean missing) {
        CriPairing pairing = new CriPairing();
        return version(missing)
                .filter(version -> !pairing.fits(kubelet, version))
                .map(
                        version -> new Problem(
                                ErrorCode.UNSUPPORTED_VERSION,
                                "containerd " + version.number(),
                                "has no version of the Container Runtime Interface that a kubelet " + kubelet.number()
                                        + " speaks",
                                pairing.containerdFor(kubelet),
                                "use another Kubernetes (--binaries DIR, and a directory rendered for it), or install such a containerd"));
    }

    /** @throws ProblemException UNSUPPORTED_VERSION when what is installed does not fit; MISSING_TOOL when none is */
    public void requireFitting(KubernetesVersion kubelet) {
        unfitFor(kubelet, false).ifPresent(problem -> {
            throw new ProblemException(List.of(problem));
        });
    }

    private Optional<KubernetesVersion> version(boolean missing) {
        Command command =
                missing ? Command.of("apt-cache", "policy", "containerd") : Command.of("containerd", "--version");
        Result result = processes.run(command.withEnvironment("LC_ALL", "C.UTF-8"));
        Matcher told = (missing ? OFFERED : INSTALLED).matcher(result.output());
        return told.find() ? KubernetesVersion.parse(told.group(1)) : Optional.empty();
    }
}
