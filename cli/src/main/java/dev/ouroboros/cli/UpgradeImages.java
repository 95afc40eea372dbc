package dev.ouroboros.cli;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.upgrade.Stage;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.upgrade.apply.ApplyListener;
import dev.ouroboros.upgrade.apply.Manifests;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The images that an upgrade needs: in a sandbox, whose node pulls from nowhere, they must be there. */
final class UpgradeImages {
    private final Optional<Sandbox> sandbox;
    private final ApplyListener listener;

    UpgradeImages(Optional<Sandbox> sandbox, ApplyListener listener) {
        this.sandbox = sandbox;
        this.listener = listener;
    }

    /** @throws ProblemException with each that is missing */
    void require(Manifests target) {
        List<String> wanted = Stream.of(Stage.values())
                .flatMap(stage -> target.of(stage).stream())
                .flatMap(name -> target.images(name).stream())
                .distinct()
                .sorted()
                .toList();
        Optional<RunningNode> node = sandbox.flatMap(Sandbox::node);
        if (node.isEmpty()) {
            listener.did("images are pulled by the nodes as they are needed: " + String.join(", ", wanted));
            return;
        }
        List<String> present = new LocalProcesses()
                .run(node.get().enter(Command.of("ctr", "--namespace", "k8s.io", "images", "list", "--quiet")))
                .orThrow()
                .lines()
                .toList();
        List<Problem> missing = wanted.stream()
                .filter(image -> !present.contains(image))
                .map(image -> new Problem(
                        ErrorCode.NOT_FOUND,
                        "image " + image,
                        "is not on the sandbox's node",
                        "",
                        "ouro images build, ouro images load"))
                .toList();
        if (!missing.isEmpty()) {
            throw new ProblemException(missing);
        }
        listener.did(wanted.size() + " images are on the node");
    }
}
