package dev.ouroboros.cli.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.doctor.ClusterDoctor;
import dev.ouroboros.doctor.ClusterSource;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.ailment.Ailment.Place;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.evidence.Evidence;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro doctor}. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Looks at this machine before it becomes a control-plane node, or when one is ill; with --kubeconfig or"
                    + " --name at a whole cluster and its control-plane nodes. Each finding has evidence, consequence and"
                    + " remedy.",
            "Changes nothing: the front is tried in a network namespace of its own, the path to it from another one,"
                    + " the disk with a file that is removed.",
            "Exit code 3 when there is a warning or a problem."
        },
        footer = {
            "",
            "Examples:",
            "  ouro doctor",
            "  ouro doctor --kubeconfig cluster/auth/kubeconfig",
            "  ouro doctor --name ouroboros -o json",
            "  ouro exec NODE -- ouro doctor"
        })
public final class DoctorCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(
            names = "--etcd-data-dir",
            paramLabel = "DIR",
            defaultValue = "/var/lib/etcd",
            description = "Where etcd keeps its data, as its --data-dir (default: ${DEFAULT-VALUE}).")
    private Path storage = Path.of("/var/lib/etcd");

    @Mixin
    private final EtcdOptions etcd = new EtcdOptions();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    /** @param node whose machine it is; empty for a cluster, and for this machine when no cluster was named */
    private record Examined(Place place, String node, List<Finding> findings) {}

    @Override
    public Integer call() {
        List<Examined> examined = new ArrayList<>();
        MachineDoctor machine = new MachineDoctor(spec, storage);
        if (!target.isGiven()) {
            examined.add(new Examined(Place.MACHINE, "", machine.here()));
        } else {
            Endpoint endpoint = target.requiredEndpoint();
            machine.ofNodes(target).forEach((node, found) -> examined.add(new Examined(Place.MACHINE, node, found)));
            examined.add(new Examined(
                    Place.CLUSTER,
                    "",
                    ClusterDoctor.examine(new ClusterSource(
                                    Evidence.known(endpoint),
                                    target.node(),
                                    target.otherNodes(),
                                    etcd.of(target),
                                    ThisMachine.disk(),
                                    InstantSource.system())
                            .look())));
        }
        output.print(spec, data(examined), () -> text(examined));
        return examined.stream().flatMap(each -> each.findings().stream()).anyMatch(Finding::isWrong)
                ? ExitCode.FINDINGS
                : ExitCode.DONE;
    }

    private String text(List<Examined> examined) {
        StringBuilder text = new StringBuilder();
        TargetHints hints = TargetHints.of(spec);
        for (Examined each : examined) {
            if (target.isGiven()) {
                String node = each.node().isEmpty() ? "" : " " + each.node();
                text.append(text.isEmpty() ? "" : "\n")
                        .append(word(each.place()))
                        .append(node)
                        .append('\n');
            }
            text.append(FindingsView.text(each.findings(), hints));
        }
        return text.toString();
    }

    private ArrayNode data(List<Examined> examined) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        TargetHints hints = TargetHints.of(spec);
        examined.forEach(each -> each.findings().forEach(finding -> {
            ObjectNode node = all.addObject().put("place", word(each.place())).put("node", each.node());
            FindingsView.put(node, finding, hints);
        }));
        return all;
    }

    private static String word(Place place) {
        return place.name().toLowerCase(Locale.ROOT);
    }
}
