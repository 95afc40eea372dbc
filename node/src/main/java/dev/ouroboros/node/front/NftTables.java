package dev.ouroboros.node.front;

import dev.ouroboros.model.front.NftListing;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The tables of one network namespace, by the program {@code nft}.
 *
 * @param inside command prefix that leads into it, for example {@code nsenter --net=/run/netns/node}; empty for our own
 */
record NftTables(Processes processes, List<String> inside) {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** Exit code of a shell's child that a SIGSEGV ended: 128 + 11. */
    private static final int CRASHED = 139;

    NftTables {
        inside = List.copyOf(inside);
    }

    /**
     * A table as JSON; empty when there is none of this name.
     *
     * @throws ProblemException when the kernel could not be asked
     * @throws IllegalArgumentException when {@code nft} printed something else than JSON
     */
    Optional<String> list(String family, String name) {
        Result table = run(Command.of("nft", "-j", "list", "table", family, name));
        // Only nft's words tell that there is no such table from other failures.
        if (table.exitCode() != 0
                && !NftListing.parse(
                                run(Command.of("nft", "-j", "list", "tables")).orThrow())
                        .names(family, name)) {
            return Optional.empty();
        }
        return Optional.of(table.orThrow());
    }

    /**
     * Gives the kernel all of a script, or nothing of it.
     *
     * @throws ProblemException when the kernel refuses
     */
    void apply(String script) {
        tell(script).orThrow();
    }

    /** As {@link #apply}, but a refusal is in the result. */
    Result tell(String script) {
        return run(Command.of("nft", "-f", "-").withInput(script));
    }

    /** Nftables before 1.1 crash at a set or map of one field that a newer one has declared by a type, in whichever table it is. */
    private Result run(Command command) {
        Result result = processes.run(command.withTimeout(TIMEOUT).behind(inside));
        if (result.exitCode() == CRASHED) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    result.command(),
                    "crashed, as an nft does that meets sets of a newer one",
                    "no table of an nft that is newer than this one",
                    "compare nft --version here and of what makes the tables (nft list ruleset, by the newer one, shows"
                            + " them): the keeper's is that of the machine on which its image was built");
        }
        return result;
    }

    /** Why a table of our name is left alone: another tool made it. */
    static ProblemException foreign(String family, String name, String description) {
        return ProblemException.of(
                ErrorCode.FOREIGN_TABLE,
                where(family, name),
                description,
                "no table of this name, or ours",
                "nft list table " + family + " " + name + " shows it; rename it, or delete it when nothing needs it");
    }

    /** Why a table of our name is left alone: it may be another's. */
    static ProblemException unread(String family, String name, String reason) {
        return ProblemException.of(
                ErrorCode.PROCESS_FAILED,
                where(family, name),
                "cannot be read: " + reason,
                "",
                "run as root on a kernel with nftables");
    }

    private static String where(String family, String name) {
        return "nftables table " + family + " " + name;
    }
}
