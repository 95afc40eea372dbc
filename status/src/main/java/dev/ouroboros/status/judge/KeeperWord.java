package dev.ouroboros.status.judge;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.model.ComponentHealth;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the keeper says of one component. Its words are {@code keeper.decide.Condition}'s by name; the keeper may be of another version
 * than this, so they are an open set here.
 */
public record KeeperWord(String role, String condition, String description, String waitsFor, Optional<Instant> since) {
    /** By component. */
    public static Map<ComponentName, KeeperWord> all(Json state) {
        Map<ComponentName, KeeperWord> words = new TreeMap<>();
        state.at("components").fields().forEach((name, value) -> {
            String[] parts = name.split("/", 2);
            if (parts.length == 2 && !parts[0].isEmpty() && !parts[1].isEmpty()) {
                words.put(new ComponentName(parts[0], parts[1]), of(value));
            }
        });
        return words;
    }

    private static KeeperWord of(Json value) {
        return new KeeperWord(
                text(value, "role"),
                text(value, "condition"),
                text(value, "description"),
                Words.tidy(text(value, "waitsFor")),
                Workload.instant(value.at("since")));
    }

    private static String text(Json value, String field) {
        return value.at(field).text().orElse("");
    }

    /**
     * Whether nothing is left to do here for the component but its checkpoint. A leader that moved to another node may stay there for good:
     * who waited for more than that would wait for ever.
     */
    public boolean isAtRest() {
        return switch (condition) {
            case "SERVING", "STANDING_BY", "ELSEWHERE" -> true;
            default -> false;
        };
    }

    /** Empty when the keeper leaves the component alone, or another node has it: then the keeper says nothing of its health. */
    Optional<ComponentHealth> health() {
        return switch (condition) {
            case "SERVING", "STANDING_BY" -> Optional.of(ComponentHealth.good("serving"));
            case "DOUBTFUL" -> Optional.of(ComponentHealth.bad("not known to serve"));
            case "HELPLESS" -> Optional.of(ComponentHealth.bad("away, no understudy"));
            case "STARTING" -> Optional.of(ComponentHealth.bad("understudy starts"));
            case "UNDERSTUDY_SERVES" -> Optional.of(ComponentHealth.moving("understudy serves"));
            case "GIVING_WAY" -> Optional.of(ComponentHealth.moving("understudy gives way"));
            case "CHANGING" -> Optional.of(ComponentHealth.moving("changing"));
            case "LEAVING" -> Optional.of(ComponentHealth.moving("leaves this node"));
            case "KEPT" -> Optional.of(ComponentHealth.moving("wanted nowhere"));
            case "SWITCHED_OFF" -> Optional.of(ComponentJudge.SCALED_TO_ZERO);
            case "ELSEWHERE", "PASSIVE" -> Optional.empty();
            default -> Optional.empty();
        };
    }

    /** What the keeper does about it next. */
    public String next() {
        return switch (condition) {
            case "SERVING" ->
                waitsFor.isEmpty() ? "nothing to do" : "its checkpoint becomes last-good when it has stayed healthy";
            case "STANDING_BY" -> "nothing to do: the other copy takes over when this one ends";
            case "ELSEWHERE" ->
                "nothing to do: another node has it"
                        + (waitsFor.isEmpty() ? "" : "; its checkpoint here follows what runs there");
            case "DOUBTFUL" ->
                Words.blamesEtcd(waitsFor)
                        ? "nothing: without etcd no other API server would serve either"
                        : "starts the understudy from the checkpoint, unless the principal serves before";
            case "HELPLESS" -> "nothing it can do until that is there";
            case "STARTING" -> "sends new connections to the understudy as soon as it answers";
            case "UNDERSTUDY_SERVES" -> "gives way when the principal has been ready without interruption";
            case "GIVING_WAY" -> "sends new connections to the principal, then removes the understudy";
            case "CHANGING" -> "the next step of its change";
            case "SWITCHED_OFF" ->
                "nothing: it was scaled to zero. When it is wanted again and nobody makes or places its pod, starts an"
                        + " understudy from the checkpoint";
            case "KEPT" -> "keeps its checkpoint until another one is known to serve";
            case "LEAVING" -> "removes its understudy and its checkpoints after the grace period";
            case "PASSIVE" -> "nothing: somebody else is at work here, or may be";
            default -> "not known to this version of ouro";
        };
    }
}
