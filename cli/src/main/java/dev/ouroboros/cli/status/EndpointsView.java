package dev.ouroboros.cli.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.OutputFormat;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cluster.ApiServers;
import dev.ouroboros.model.evidence.Health;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * API servers as a text.
 *
 * @param name that leads to them, in a hosts file
 */
record EndpointsView(Format format, String name) {
    enum Format {
        TABLE,
        JSON,
        HOSTS,
        HAPROXY;

        /** Whether the format lists proven servers only, for a program that looks at nothing else. */
        boolean isForOthers() {
            return this == HOSTS || this == HAPROXY;
        }
    }

    /** @param spec of the command that prints it */
    String of(CommandSpec spec, List<ApiServers.Seen> seen) {
        return switch (format) {
            case TABLE -> table(seen);
            case JSON -> OutputFormat.JSON.format(spec, data(seen), () -> "");
            case HOSTS ->
                lines(proven(seen).map(server -> server.server().address().getHostAddress() + " " + name));
            case HAPROXY ->
                lines(proven(seen).map(server -> "server " + nameOf(server) + " " + server.server() + " check"));
        };
    }

    private static Stream<ApiServers.Seen> proven(List<ApiServers.Seen> seen) {
        return seen.stream().filter(ApiServers.Seen::isProven);
    }

    private static String lines(Stream<String> lines) {
        return lines.map(line -> line + "\n").collect(Collectors.joining());
    }

    private static String nameOf(ApiServers.Seen server) {
        String address = server.server().address().getHostAddress().replaceAll("[.:]", "-");
        return server.node().orElseGet(() -> address + "-" + server.server().port());
    }

    /** The table. How long a server has been ready is left out: that changes with each look. */
    private static String table(List<ApiServers.Seen> seen) {
        TextTable table = new TextTable("SERVER", "NODE", "PROVEN", "SAYS");
        seen.forEach(server -> table.row(
                server.server().toString(),
                server.node().orElse("-"),
                server.isProven() ? "yes" : "no",
                Health.describe(server.health())));
        return table.toString();
    }

    private static ArrayNode data(List<ApiServers.Seen> seen) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (ApiServers.Seen server : seen) {
            ObjectNode one = all.addObject()
                    .put("address", server.server().address().getHostAddress())
                    .put("port", server.server().port())
                    .put("proven", server.isProven())
                    .put("says", Health.describe(server.health()));
            server.node().ifPresent(node -> one.put("node", node));
        }
        return all;
    }

    /** Whether a host is an address and no name. */
    static boolean isAddress(String host) {
        try {
            InetAddress.ofLiteral(host);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
