package dev.ouroboros.change;

import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.front.FrontTable;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a keeper that has removed itself leaves on its node: its memory and empty directories.
 *
 * @param node its name
 * @param root of the node's file system, as we see it
 * @param network a command that executes its arguments in the node's network; empty when it is ours
 */
public record KeeperRemains(String node, Disk disk, Processes processes, Path root, List<String> network) {
    /** Directories of a keeper alone, on every node that had one. */
    public static final List<String> DIRECTORIES =
            List.of(StateLayout.path(StateLayout.CHECKPOINTS), StateLayout.path(StateLayout.KEEPER));

    private static final String MANIFESTS = "/etc/kubernetes/manifests";

    public KeeperRemains {
        network = List.copyOf(network);
    }

    /** Removes it, and refuses what is left; only when no keeper runs on the node any more. */
    void remove() {
        DIRECTORIES.forEach(directory -> disk.deleteTree(at(directory)));
        List<String> left = left();
        if (!left.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "node " + node,
                    "still has of the keeper: " + String.join(", ", left),
                    "nothing",
                    "see who uses it (ouro status), and run the same command again");
        }
    }

    private List<String> left() {
        List<String> left = new ArrayList<>();
        DIRECTORIES.stream()
                .filter(directory -> disk.status(at(directory)).isPresent())
                .forEach(left::add);
        disk.list(at(MANIFESTS)).stream()
                .filter(name -> name.contains(Component.KEEPER.id()))
                .forEach(name -> left.add(MANIFESTS + "/" + name));
        boolean front = processes
                .run(Command.of("nft", "list", "table", FrontTable.FAMILY, FrontTable.NAME)
                        .behind(network))
                .succeeded();
        if (front) {
            left.add("nftables table " + FrontTable.FAMILY + " " + FrontTable.NAME);
        }
        return left;
    }

    private Path at(String path) {
        return root.resolve(path.substring(1));
    }
}
