package dev.ouroboros.cli.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.InNode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.ailment.Finding.Severity;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.node.doctor.HostDoctor;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.up.NodeRoles;
import dev.ouroboros.status.source.NodePlace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;

/** The findings about machines: this one, or nodes of a sandbox, in which this command runs itself. */
final class MachineDoctor {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String CHECK = "node";

    private final CommandSpec doctor;
    private final Path storage;

    /** @param doctor the command that runs in a node too */
    MachineDoctor(CommandSpec doctor, Path storage) {
        this.doctor = doctor;
        this.storage = storage;
    }

    List<Finding> here() {
        return new HostDoctor(ThisMachine.disk(), ThisMachine.processes(), storage).examine();
    }

    /**
     * Findings by node: of each control-plane node of a sandbox, one after the other, because two that measure their disk disturb each other;
     * otherwise of this machine.
     */
    SortedMap<String, List<Finding>> ofNodes(StatusTarget target) {
        SortedMap<String, List<Finding>> found = new TreeMap<>();
        Optional<Sandbox> sandbox = target.sandbox();
        if (sandbox.isPresent()) {
            Map<String, Boolean> roles = NodeRoles.controlPlanes(sandbox.get());
            sandbox.get().nodes().stream()
                    .filter(node -> node.hasEtcd() || roles.getOrDefault(node.name(), false))
                    .forEach(node -> found.put(node.name(), ofNode(node)));
            return found;
        }
        switch (target.node()) {
            case Unknown<NodePlace>(String why) -> found.put("", List.of(Finding.unknown(CHECK, why)));
            case Known<NodePlace>(NodePlace place) -> found.put(place.name(), here());
        }
        return found;
    }

    private List<Finding> ofNode(SandboxNode node) {
        return orUnknown(() -> node.running()
                .map(this::inside)
                .orElseGet(() -> List.of(Finding.unknown(CHECK, "node " + node.name() + " does not run"))));
    }

    /** The findings of a look, or that it failed: a node that does not answer in time hides nothing of the others. */
    static List<Finding> orUnknown(Supplier<List<Finding>> look) {
        return switch (Evidence.asking(look)) {
            case Known<List<Finding>>(List<Finding> found) -> found;
            case Unknown<List<Finding>>(String why) -> List.of(Finding.unknown(CHECK, why));
        };
    }

    private List<Finding> inside(RunningNode node) {
        List<String> command = new ArrayList<>(InNode.commandLine(doctor));
        command.addAll(List.of("doctor", "-o", "json", "--etcd-data-dir", storage.toString()));
        Result result =
                ThisMachine.processes().run(node.enter(Command.of(command).withTimeout(LIMIT)));
        boolean looked = result.exitCode() == ExitCode.DONE || result.exitCode() == ExitCode.FINDINGS;
        if (!looked) {
            return List.of(Finding.unknown(
                    CHECK,
                    "ouro doctor in the node ended with " + result.exitCode() + ": "
                            + result.error().strip()));
        }
        try {
            return read(result.output());
        } catch (JsonProcessingException e) {
            return List.of(
                    Finding.unknown(CHECK, "what ouro doctor says in the node cannot be read: " + e.getMessage()));
        }
    }

    /** Reads what this command's {@code -o json} prints. */
    static List<Finding> read(String json) throws JsonProcessingException {
        List<Finding> findings = new ArrayList<>();
        for (JsonNode each : new ObjectMapper().readTree(json)) {
            findings.add(new Finding(
                    each.path("check").asText(),
                    Severity.valueOf(each.path("severity").asText().toUpperCase(Locale.ROOT)),
                    each.path("evidence").asText(),
                    each.path("consequence").asText(),
                    each.path("remedy").asText()));
        }
        return findings;
    }
}
