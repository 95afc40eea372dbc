package dev.ouroboros.cli.start;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.bootstrap.StartEvent;
import dev.ouroboros.bootstrap.decide.PivotAction;
import dev.ouroboros.cli.console.Screen;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Shows what {@code start} does and remembers it for the report. */
final class StartProgress implements Consumer<StartEvent> {
    private final Screen screen;
    private final InstantSource clock;
    private final Instant begun;
    private final ObjectMapper mapper = new ObjectMapper();
    private final ObjectNode report = mapper.createObjectNode();
    private final ArrayNode events = mapper.createArrayNode();

    StartProgress(Screen screen, InstantSource clock) {
        this.screen = screen;
        this.clock = clock;
        this.begun = clock.instant();
        report.put("apiVersion", "ouroboros.dev/v1alpha1");
        report.put("kind", "StartReport");
        report.put("startedAt", begun.toString());
        report.set("events", events);
    }

    @Override
    public void accept(StartEvent event) {
        switch (event) {
            case StartEvent.Started(Instant _, boolean resumed) -> {
                if (resumed) {
                    screen.line("going on with a start that was interrupted");
                }
            }
            case StartEvent.Adopting(var changes, var remarks) -> {
                changes.forEach(change -> screen.line("adopting " + change.describe()));
                remarks.forEach(remark -> screen.line("left as it is: " + remark));
            }
            case StartEvent.PhaseEntered(var phase) -> {
                screen.line(phase.description());
                record("Phase" + camelCase(phase.name()), clock.instant());
            }
            case StartEvent.Reached(StartEvent.Milestone milestone, Instant at, Duration _) -> {
                screen.line(describe(milestone));
                record(camelCase(milestone.name()), at);
            }
            case StartEvent.Waiting(List<String> waitingFor) -> screen.now(waitingFor);
            case StartEvent.Retrying(var action, var problem) ->
                screen.line("  " + action.getClass().getSimpleName() + " did not succeed yet: " + problem.describe());
            case StartEvent.Acting(var action, var reason) -> {
                if (action instanceof PivotAction.DeleteOutdatedApiServer) {
                    screen.line("  deleting the API server's pod: " + reason.description());
                }
                record(action + ": " + reason.description(), clock.instant());
            }
        }
    }

    private static String describe(StartEvent.Milestone milestone) {
        return switch (milestone) {
            case FIRST_ANSWER -> "the API answers";
            case SWITCHED -> "new connections go to the self-hosted API server";
            case SERVES_ALONE -> "the self-hosted control plane serves alone";
            case ACCEPTED -> "read, write, watch, a scheduled pod and its logs work";
            case KEPT -> "the keeper has saved the control plane";
        };
    }

    private void record(String event, Instant at) {
        ObjectNode node = events.addObject();
        node.put("event", event);
        node.put("at", at.toString());
        node.put("elapsedSeconds", Duration.between(begun, at).toMillis() / 1000.0);
    }

    /** SERVES_ALONE becomes ServesAlone. */
    private static String camelCase(String constant) {
        StringBuilder name = new StringBuilder();
        for (String word : constant.split("_", -1)) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }

    /** The report as JSON. */
    byte[] report() {
        try {
            return mapper.writerWithDefaultPrettyPrinter().writeValueAsBytes(report);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a report can always be written", e);
        }
    }
}
