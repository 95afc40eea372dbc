package dev.ouroboros.node.front;

import dev.ouroboros.model.front.FrontListing;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontTable;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Processes;
import java.time.Duration;
import java.util.List;

/** The front by the program {@code nft}. */
public final class NftFront implements Front {
    private final NftTables tables;
    private final FrontTable table;
    private final FrontListing listing;

    /**
     * The front of the network namespace that a command prefix leads into.
     *
     * @param inside for example {@code nsenter --net=/run/netns/node}; empty for our own network namespace
     */
    public NftFront(Processes processes, List<String> inside, FrontSpec spec) {
        this.tables = new NftTables(processes, inside);
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
        tables.apply(table.install());
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
        tables.apply(table.remove());
    }

    @Override
    public FrontState read() {
        try {
            return tables.list(FrontTable.FAMILY, FrontTable.NAME)
                    .map(listing::read)
                    .orElseGet(FrontState.NotInstalled::new);
        } catch (ProblemException | IllegalArgumentException e) {
            return new FrontState.Unknown(String.valueOf(e.getMessage()));
        }
    }

    /** Changes maps or the set; in the same transaction makes the table where it is missing or damaged. */
    private void point(String script) {
        FrontState state = read();
        requireOurs(state);
        boolean whole = state instanceof FrontState.ToPrincipal || state instanceof FrontState.ToUnderstudy;
        tables.apply(whole ? script : table.install() + script);
    }

    /** Refuses to touch a table that is not ours; a table that cannot be read may be another's. */
    private static void requireOurs(FrontState state) {
        switch (state) {
            case FrontState.Foreign foreign ->
                throw NftTables.foreign(FrontTable.FAMILY, FrontTable.NAME, foreign.description());
            case FrontState.Unknown unknown ->
                throw NftTables.unread(FrontTable.FAMILY, FrontTable.NAME, unknown.reason());
            case FrontState.NotInstalled _,
                    FrontState.Damaged _,
                    FrontState.ToPrincipal _,
                    FrontState.ToUnderstudy _ -> {}
        }
    }
}
