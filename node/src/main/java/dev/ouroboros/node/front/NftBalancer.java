package dev.ouroboros.node.front;

import dev.ouroboros.model.front.BalancerListing;
import dev.ouroboros.model.front.BalancerState;
import dev.ouroboros.model.front.BalancerTable;
import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.libc.SystemCallFailed;
import dev.ouroboros.node.libc.TcpConnections;
import dev.ouroboros.node.process.Processes;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** The balancer by the program {@code nft}. */
public final class NftBalancer implements Balancer {
    private final NftTables tables;
    private final BalancerTable table;

    /**
     * The balancer of the network namespace that a command prefix leads into.
     *
     * @param inside for example {@code nsenter --net=/run/netns/node}; empty for our own network namespace
     * @param node its name
     */
    public NftBalancer(Processes processes, List<String> inside, String node) {
        this.tables = new NftTables(processes, inside);
        this.table = new BalancerTable(node);
    }

    /** A deal is renewed every few seconds: only when the kernel refuses is the table looked at, and made. */
    @Override
    public void deal(Deal deal, Duration lease) {
        String script = table.deal(deal, lease);
        if (tables.tell(script).succeeded()) {
            return;
        }
        requireOurs();
        tables.apply(BalancerTable.install() + script);
    }

    @Override
    public void endConnections(ServerAddress address) {
        try {
            new TcpConnections().endAllTo(new InetSocketAddress(address.address(), address.port()));
        } catch (SystemCallFailed e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.PROCESS_FAILED,
                            "connections to " + address,
                            "cannot be ended: " + e.getMessage(),
                            "",
                            "use a kernel with CONFIG_INET_DIAG_DESTROY, as Debian's: until then who is connected there waits"),
                    e);
        }
    }

    @Override
    public BalancerState read() {
        try {
            return tables.list(BalancerTable.FAMILY, BalancerTable.NAME)
                    .map(BalancerListing::read)
                    .orElseGet(BalancerState.NotInstalled::new);
        } catch (ProblemException | IllegalArgumentException e) {
            return new BalancerState.Unknown(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void install() {
        requireOurs();
        tables.apply(BalancerTable.install());
    }

    @Override
    public void remove() {
        requireOurs();
        tables.apply(BalancerTable.remove());
    }

    /** Refuses to touch a table that is not ours; a table that cannot be read may be another's. */
    private void requireOurs() {
        switch (read()) {
            case BalancerState.Foreign foreign ->
                throw NftTables.foreign(BalancerTable.FAMILY, BalancerTable.NAME, foreign.description());
            case BalancerState.Unknown unknown ->
                throw NftTables.unread(BalancerTable.FAMILY, BalancerTable.NAME, unknown.reason());
            case BalancerState.NotInstalled _, BalancerState.Damaged _, BalancerState.Installed _ -> {}
        }
    }
}
