package dev.ouroboros.status.view;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.status.judge.KeeperWord;
import dev.ouroboros.status.judge.Words;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the keeper did lately about a component, on which evidence, and what it does next; for people. */
public final class ExplainView {
    /** The name for what belongs to no component: the front, the node and the keeper itself. */
    public static final String KEEPER = "keeper";

    private static final int WITHOUT_FRACTION = 19;

    private final Json state;
    private final Json decisions;
    private final Function<ComponentName, Optional<String>> log;
    private final Instant now;
    private final StringBuilder text = new StringBuilder();

    private ExplainView(Json state, Json decisions, Function<ComponentName, Optional<String>> log, Instant now) {
        this.state = state;
        this.decisions = decisions;
        this.log = log;
        this.now = now;
    }

    /**
     * All components that are asked for, each with its last decisions.
     *
     * @param wanted those to show, and {@link #KEEPER}; in this order
     * @param limit how many decisions of each at most
     * @param log what is wrong with a component, as its log says it
     */
    public static String of(
            Json state,
            Json decisions,
            List<String> wanted,
            int limit,
            Function<ComponentName, Optional<String>> log,
            Instant now) {
        ExplainView view = new ExplainView(state, decisions, log, now);
        List<String> parts = new ArrayList<>();
        for (String name : wanted) {
            view.text.setLength(0);
            view.explain(name, limit);
            parts.add(view.text.toString());
        }
        return String.join("\n", parts);
    }

    /** All names that the keeper knows: its components, then {@link #KEEPER}. */
    public static List<String> names(Json state) {
        List<String> names = new ArrayList<>(KeeperWord.all(state).keySet().stream()
                .map(ComponentName::toString)
                .toList());
        names.add(KEEPER);
        return names;
    }

    /**
     * The full one of a name, with or without its namespace.
     *
     * @throws ProblemException NOT_FOUND when it is none, or several
     */
    public static String named(String name, Json state) {
        List<String> all = names(state);
        List<String> matching = all.stream()
                .filter(full -> full.equals(name) || full.endsWith("/" + name))
                .toList();
        if (matching.size() != 1) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "COMPONENT",
                    matching.isEmpty()
                            ? "the keeper keeps no '" + name + "'"
                            : "'" + name + "' is in several namespaces",
                    "one of: " + String.join(", ", matching.isEmpty() ? all : matching),
                    matching.isEmpty()
                            ? "leave COMPONENT out to see all of them"
                            : "say its namespace too, as in kube-system/" + name);
        }
        return matching.getFirst();
    }

    private void explain(String name, int limit) {
        Optional<KeeperWord> word = Optional.ofNullable(words().get(name));
        text.append(name)
                .append(word.map(known -> ": " + known.description()
                                + known.since()
                                        .map(since -> ", for " + Age.since(since, now))
                                        .orElse(""))
                        .orElse(name.equals(KEEPER) ? ": the front, the node and itself" : ""))
                .append('\n');
        word.ifPresent(known -> {
            field("waits for", known.waitsFor().isEmpty() ? "nothing" : known.waitsFor());
            field("next", known.next());
            if (!known.isAtRest()) {
                KeeperWord.all(state).keySet().stream()
                        .filter(component -> component.toString().equals(name))
                        .flatMap(component -> log.apply(component).stream())
                        .forEach(text -> field("its log", text));
            }
        });
        if (name.endsWith("/kube-apiserver")) {
            change();
        }
        failing(name);
        if (name.equals(KEEPER)) {
            ways(false);
            state.at("unknown")
                    .fields()
                    .forEach((what, why) -> field(
                            "not known", what + ": " + Words.tidy(why.text().orElse(""))));
        }
        List<Json> own = decisions.at("decisions").items().stream()
                .filter(decision -> decision.at("component").equals(Json.text(name)))
                .toList();
        if (own.isEmpty()) {
            field("did", "nothing since this keeper began");
        }
        own.stream().skip(Math.max(0, own.size() - limit)).forEach(this::decision);
    }

    /**
     * Of a node that has an agent and no keeper nobody tells of components.
     *
     * @throws ProblemException NOT_FOUND when one is asked for
     */
    public static void requireNoComponent(Optional<String> component, String node) {
        if (component.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "COMPONENT",
                    "node " + node + " has an agent and no keeper: nobody keeps '" + component.get() + "' there",
                    "no COMPONENT, or a control-plane node",
                    "leave it out, or name another node: --node NODE");
        }
    }

    /** What the agent of a node does that has no keeper. */
    public static String ofAgent(Json state) {
        ExplainView view = new ExplainView(state, Json.object(), _ -> Optional.empty(), Instant.EPOCH);
        view.text.append(
                "node-agent: leads clients of this node to API servers; a keeper is on control-plane nodes only\n");
        view.ways(true);
        return view.text.toString();
    }

    /**
     * Where clients of this node are led, and its pods to those of other nodes.
     *
     * @param always also where no API server of another node is known: of one with a keeper its own is the only one then
     */
    private void ways(boolean always) {
        Json balancer = state.at("balancer");
        Map<String, Json> others = balancer.at("others").fields();
        if (always || !others.isEmpty()) {
            String servers = balancer.at("servers").items().stream()
                    .flatMap(server -> server.text().stream())
                    .collect(Collectors.joining(", "));
            String reason = textOf(balancer, "reason");
            field(
                    "clients",
                    (servers.isEmpty() ? "led nowhere" : "led to " + servers)
                            + (reason.isEmpty() ? "" : ": " + reason));
            others.forEach((server, standing) ->
                    field("server", server + " " + standing.text().orElse("?")));
        }
        balancer.at("trouble").text().ifPresent(trouble -> field("trouble", Words.tidy(trouble)));
        state.at("podRoutes", "troubles").items().stream()
                .flatMap(trouble -> trouble.text().stream())
                .forEach(trouble -> field("pod routes", Words.tidy(trouble)));
    }

    private Map<String, KeeperWord> words() {
        Map<String, KeeperWord> words = new TreeMap<>();
        KeeperWord.all(state).forEach((name, word) -> words.put(name.toString(), word));
        return words;
    }

    private void change() {
        Json change = state.at("change");
        change.at("state").text().filter(step -> !step.equals("None")).ifPresent(step -> {
            field("change", step + ": " + textOf(change, "message"));
            if (!textOf(change, "progress").isEmpty()) {
                field("", textOf(change, "progress"));
            }
        });
    }

    /** Actions that fail; for an API server also those about no component, such as the Lease of changes. */
    private void failing(String name) {
        boolean changes = name.endsWith("/kube-apiserver");
        state.at("failing").fields().forEach((action, why) -> {
            boolean ofComponent = action.contains("/");
            if (ofComponent ? action.contains(" " + name) : changes || name.equals(KEEPER)) {
                field("fails", action + ": " + Words.tidy(why.text().orElse("")));
            }
        });
    }

    private void decision(Json decision) {
        String detail = textOf(decision, "detail");
        text.append("  ")
                .append(time(textOf(decision, "at")))
                .append("  ")
                .append(textOf(decision, "action"))
                .append(detail.isEmpty() ? "" : ", " + detail)
                .append('\n');
        inner("because", textOf(decision, "because"));
        inner("evidence", textOf(decision, "evidence"));
        String outcome = textOf(decision, "outcome");
        inner(outcome.equals("done") ? "" : "failed", outcome.equals("done") ? "" : outcome);
    }

    private void field(String name, String value) {
        text.append("  %-11s%s%n".formatted(name, indented(value, 13)));
    }

    private void inner(String name, String value) {
        if (!value.isEmpty()) {
            text.append("    %-10s%s%n".formatted(name, indented(value, 14)));
        }
    }

    private static String indented(String value, int by) {
        return value.strip().replace("\n", "\n" + " ".repeat(by));
    }

    /** Seconds are enough for people. */
    private static String time(String instant) {
        try {
            return Instant.parse(instant)
                            .toString()
                            .substring(0, WITHOUT_FRACTION)
                            .replace('T', ' ') + "Z";
        } catch (DateTimeException e) {
            return instant;
        }
    }

    private static String textOf(Json value, String field) {
        return Words.tidy(value.at(field).text().orElse(""));
    }
}
