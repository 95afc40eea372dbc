package dev.ouroboros.node.front;

import dev.ouroboros.model.front.FrontListing;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontTable;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.List;

/** The front by the program {@code nft}. */
public final class NftFront implements Front {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Processes processes;
    private final List<String> inside;
    private final FrontTable table;
    private final FrontListing listing;

    /**
     * The front of the network namespace that a command prefix leads into.
     *
     * @param inside for example {@code nsenter --net=/run/netns/node}; empty for our own network namespace
     */
    public NftFront(Processes processes, List<String> inside, FrontSpec spec) {
        this.processes = processes;
        this.inside = List.copyOf(inside);
        this.table = new FrontTable(spec);
        this.listing = new FrontListing(table);
    }

    /** The front of our own network namespace. */
    public NftFront(Processes processes, FrontSpec spec) {
        this(processes, List.of(), spec);
    }

    @Override
    public FrontSpec spec() {
        return table.spec();
    }

    @Override
    public void install() {
        requireOurs(read());
        apply(table.install());
    }

    @Override
    public void pointToUnderstudy(Duration lease) {
        point(table.pointToUnderstudy(lease));
    }

    @Override
    public void pointToPrincipal() {
        point(table.pointToPrincipal());
    }

    @Override
    public void cutOffPrincipal(Duration lease) {
        point(table.cutOffPrincipal(lease));
    }

    @Override
    public void letThrough() {
        point(table.letThrough());
    }

    @Override
    public void remove() {
        requireOurs(read());
        apply(table.remove());
    }

    @Override
    public FrontState read() {
        try {
            Result table = run(Command.of("nft", "-j", "list", "table", FrontTable.FAMILY, FrontTable.NAME));
            // It says in words only whether it failed because there is none.
            if (table.exitCode() != 0
                    && !listing.namesOurTable(
                            run(Command.of("nft", "-j", "list", "tables")).orThrow())) {
                return new FrontState.NotInstalled();
            }
            return listing.read(table.orThrow());
        } catch (ProblemException | IllegalArgumentException e) {
            return new FrontState.Unknown(String.valueOf(e.getMessage()));
        }
    }

    /** Changes maps or the set; in the same transaction makes the table where it is missing or damaged. */
    private void point(String script) {
        FrontState state = read();
        requireOurs(state);
        boolean whole = state instanceof FrontState.ToPrincipal || state instanceof FrontState.ToUnderstudy;
        apply(whole ? script : table.install() + script);
    }

    /** Refuses to touch a table that is not ours; a table that cannot be read may be another's. */
    private static void requireOurs(FrontState state) {
        String where = "nftables table " + FrontTable.FAMILY + " " + FrontTable.NAME;
        switch (state) {
            case FrontState.Foreign foreign ->
                throw ProblemException.of(
                        ErrorCode.FOREIGN_TABLE,
                        where,
                        foreign.description(),
                        "no table of this name, or ours",
                        "nft list table " + FrontTable.FAMILY + " " + FrontTable.NAME
                                + " shows it; rename it, or delete it when nothing needs it");
            case FrontState.Unknown unknown ->
                throw ProblemException.of(
                        ErrorCode.PROCESS_FAILED,
                        where,
                        "cannot be read: " + unknown.reason(),
                        "",
                        "run as root on a kernel with nftables");
            case FrontState.NotInstalled _,
                    FrontState.Damaged _,
                    FrontState.ToPrincipal _,
                    FrontState.ToUnderstudy _ -> {}
        }
    }

    private void apply(String script) {
        run(Command.of("nft", "-f", "-").withInput(script)).orThrow();
    }

    private Result run(Command command) {
        return processes.run(command.withTimeout(TIMEOUT).behind(inside));
    }
}
