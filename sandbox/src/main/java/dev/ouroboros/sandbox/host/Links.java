package dev.ouroboros.sandbox.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Network devices and routes of this machine, through iproute2. A device of ours carries an alias that says whose it is. */
public final class Links {
    private static final String ALIAS = "ouroboros sandbox ";

    private final Processes processes;
    private final ObjectMapper json = new ObjectMapper();

    public Links(Processes processes) {
        this.processes = processes;
    }

    /** Networks that this machine has routes to, in any table, except the way to everywhere, which a VPN has in two halves. */
    public List<Cidr> routedNetworks() {
        List<Cidr> networks = new ArrayList<>();
        for (JsonNode route : query("-4", "route", "show", "table", "all")) {
            String destination = route.path("dst").asText("");
            if (!destination.isEmpty() && !destination.equals("default")) {
                networks.add(Cidr.parse(destination.contains("/") ? destination : destination + "/32"));
            }
        }
        return networks.stream().filter(network -> network.prefix() > 1).toList();
    }

    /**
     * Connects the network namespace of a process with ours by a pair of devices.
     *
     * @param peer the name of the device there
     * @throws ProblemException FOREIGN_FILE when a device of that name belongs to someone else
     */
    public void connect(String link, String sandbox, long pid, String peer, String hostAddress) {
        requireOurs(link, sandbox);
        disconnect(link, sandbox);
        // Our end is created there and moved to the host with its alias: it is never on the host without an owner.
        List<String> inNamespace = List.of("nsenter", "--target", Long.toString(pid), "--net");
        processes.run(Command.of("ip", "link", "delete", peer).behind(inNamespace));
        String orders =
                """
                link add %1$s type veth peer name %4$s
                link set %1$s alias "%2$s"
                link set %1$s netns %3$d
                """.formatted(link, ALIAS + sandbox, ProcessHandle.current().pid(), peer);
        processes
                .run(Command.of("ip", "-batch", "-").behind(inNamespace).withInput(orders))
                .orThrow();
        ip("address", "replace", hostAddress, "dev", link);
        ip("link", "set", link, "up");
    }

    /** Whether there is a device of this name that belongs to the sandbox. */
    public boolean has(String link, String sandbox) {
        return alias(link).filter((ALIAS + sandbox)::equals).isPresent();
    }

    /** Removes the device if it belongs to the sandbox; another's stays. */
    public void disconnect(String link, String sandbox) {
        if (has(link, sandbox)) {
            delete(link);
        }
    }

    /** The kernel removes a pair when the namespace of one of them ends, at a time of its own: a device that is gone is no failure. */
    private void delete(String link) {
        Result result = processes.run(Command.of("ip", "link", "delete", link));
        if (!result.succeeded() && alias(link).isPresent()) {
            result.orThrow();
        }
    }

    private void requireOurs(String link, String sandbox) {
        if (alias(link).isPresent() && !has(link, sandbox)) {
            throw ProblemException.of(
                    ErrorCode.FOREIGN_FILE,
                    "network device " + link,
                    "exists and does not belong to sandbox " + sandbox,
                    "",
                    "remove it (ip link delete " + link + ") or choose another --name");
        }
    }

    /** The device's alias, empty text when it has none; empty when there is no such device. */
    private Optional<String> alias(String link) {
        for (JsonNode device : query("link", "show")) {
            if (device.path("ifname").asText().equals(link)) {
                return Optional.of(device.path("ifalias").asText(""));
            }
        }
        return Optional.empty();
    }

    private JsonNode query(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip", "-json"));
        command.addAll(List.of(arguments));
        String output = processes.run(Command.of(command)).orThrow();
        try {
            return json.readTree(output.isBlank() ? "[]" : output);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("ip -json did not print JSON: " + output, e);
        }
    }

    private void ip(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        processes.run(Command.of(command)).orThrow();
    }
}
