package dev.ouroboros.host;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.version.CriPairing;
import dev.ouroboros.core.version.KubernetesVersion;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The containerd that a host has, or that Debian would give it. */
final class Containerd {
    private static final Pattern INSTALLED = Pattern.compile("(?m)^containerd \\S+ v?(\\d+\\.\\d+\\.\\d+)");
    private static final Pattern OFFERED = Pattern.compile("(?m)^ *Candidate: (\\d+\\.\\d+\\.\\d+)");

    private final Processes processes;

    Containerd(Processes processes) {
        this.processes = processes;
    }

    /** @param missing whether it is to be installed yet */
    Optional<Problem> unfitFor(KubernetesVersion kubelet, boolean missing) {
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

    /** Empty when nobody can tell. */
    private Optional<KubernetesVersion> version(boolean missing) {
        Command command =
                missing ? Command.of("apt-cache", "policy", "containerd") : Command.of("containerd", "--version");
        Result result = processes.run(command.withEnvironment("LC_ALL", "C.UTF-8"));
        Matcher told = (missing ? OFFERED : INSTALLED).matcher(result.output());
        return told.find() ? KubernetesVersion.parse(told.group(1)) : Optional.empty();
    }
}
