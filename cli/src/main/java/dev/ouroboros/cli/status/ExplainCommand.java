package dev.ouroboros.cli.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.NodeOption;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutputFormat;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.KeeperDaemonSet;
import dev.ouroboros.status.source.ComponentLog;
import dev.ouroboros.status.source.KeeperPages;
import dev.ouroboros.status.source.NodePlace;
import dev.ouroboros.status.view.ExplainView;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro explain}. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Shows what the keeper of a node did lately about a component, why, and on which evidence; what it waits"
                    + " for; and what it does next. Asks the keeper itself, on the node or with --name: no API is needed."
                    + " When it does not answer, the end of its log is shown. Of a node that is no control-plane node it"
                    + " shows what its agent does. Changes nothing."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro explain",
            "  ouro explain kube-apiserver --node ouroboros-2",
            "  ouro explain keeper --last 50"
        })
public final class ExplainCommand implements Callable<Integer> {
    private static final int LAST_WORDS = 20;
    private static final ComponentName KEEPER = new ComponentName("kube-system", KeeperDaemonSet.NAME);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "COMPONENT",
            description =
                    "As 'ouro status' calls it, or NAMESPACE/NAME; 'keeper' for the front, the node and the keeper"
                            + " itself. Default: all.")
    private Optional<String> component = Optional.empty();

    @Mixin
    private SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    private NodeOption node = new NodeOption();

    @Option(
            names = "--last",
            paramLabel = "NUMBER",
            defaultValue = "5",
            description = "How many decisions of each component at most (default: ${DEFAULT-VALUE}).")
    private int last = 1;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "TABLE",
            description = "table, json or yaml (default: table); the latter two as the keeper tells it.")
    private OutputFormat output = OutputFormat.TABLE;

    @Override
    public Integer call() {
        NodePlace place = known(node.of(sandbox), "node");
        KeeperPages keeper = KeeperPages.ofKeeper(place);
        Evidence<Json> answer = keeper.state();
        if (answer instanceof Unknown<Json>) {
            if (KeeperPages.ofAgent(place).state() instanceof Known<Json>(Json agent)) {
                explainAgent(place, agent);
                return ExitCode.DONE;
            }
            lastWords(place);
        }
        Json state = known(answer, "node " + place.name());
        Json decisions = known(keeper.decisions(), "node " + place.name());
        List<String> names = component
                .map(name -> List.of(ExplainView.named(name, state)))
                .orElseGet(() -> ExplainView.names(state));
        output.print(
                spec,
                data(place.name(), state, decisions, names),
                () -> ExplainView.of(state, decisions, names, last, name -> log(place, name), Instant.now()));
        return ExitCode.DONE;
    }

    private void explainAgent(NodePlace place, Json agent) {
        ExplainView.requireNoComponent(component, place.name());
        output.print(spec, agentData(place.name(), agent), () -> ExplainView.ofAgent(agent));
    }

    private static ObjectNode agentData(String node, Json agent) {
        ObjectMapper json = new ObjectMapper();
        try {
            ObjectNode root = json.createObjectNode();
            root.put("node", node);
            root.set("agent", json.readTree(text(agent)));
            return root;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what was read as JSON can be read again", e);
        }
    }

    private static <T> T known(Evidence<T> evidence, String where) {
        return switch (evidence) {
            case Known<T>(T value) -> value;
            case Unknown<T>(String why) ->
                throw ProblemException.of(ErrorCode.COMPONENT_FAILED, where, why, "", "see 'ouro status'");
        };
    }

    private static Optional<String> log(NodePlace node, ComponentName component) {
        return new ComponentLog(node, ThisMachine.disk(), component).cause();
    }

    /** Prints the end of a keeper's log: a keeper that has died remembers nothing. */
    private void lastWords(NodePlace node) {
        SpokenLines lines = new SpokenLines(spec);
        new ComponentLog(node, ThisMachine.disk(), KEEPER)
                .tail(LAST_WORDS)
                .ifPresent(text -> lines.say("the end of the keeper's log on node " + node.name() + ":\n" + text));
    }

    private static ObjectNode data(String node, Json state, Json decisions, List<String> names) {
        ObjectMapper json = new ObjectMapper();
        try {
            ObjectNode root = json.createObjectNode();
            root.put("node", node);
            root.set("change", json.readTree(text(state.at("change"))));
            root.set("balancer", json.readTree(text(state.at("balancer"))));
            var components = root.putObject("components");
            for (String name : names) {
                var one = components.putObject(name);
                if (!state.at("components", name).isNull()) {
                    one.set("state", json.readTree(text(state.at("components", name))));
                }
                var own = one.putArray("decisions");
                for (Json decision : decisions.at("decisions").items()) {
                    if (decision.at("component").equals(Json.text(name))) {
                        own.add(json.readTree(text(decision)));
                    }
                }
            }
            return root;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what was read as JSON can be read again", e);
        }
    }

    private static String text(Json value) {
        return new String(JsonText.write(value), StandardCharsets.UTF_8);
    }
}
