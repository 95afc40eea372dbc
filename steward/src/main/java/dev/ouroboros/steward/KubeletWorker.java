package dev.ouroboros.steward;

import dev.ouroboros.change.KubeletRolling;
import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.change.decide.KubeletRoll;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.manifest.KubeletFlags;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.KubeletPolicy;
import dev.ouroboros.steward.decide.KubeletRollReport;
import dev.ouroboros.steward.decide.KubeletRollReport.State;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Has every node run the kubelet that {@code spec.kubelet} wishes, one node after the other. The leading steward does it, a step a turn. The whole
 * state is in the Nodes, so that another leader goes on.
 */
final class KubeletWorker {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Supplier<ClusterClient> clients;
    private final BooleanSupplier leads;
    private final Speaker speaker;
    private final InstantSource clock;
    private KubeletRoll.State roll = KubeletRoll.State.BEGIN;
    private Optional<KubeletRollReport> last = Optional.empty();
    /** Whether no node is left cordoned for a wish that was withdrawn. */
    private boolean isReleased;

    /**
     * Nothing is known yet.
     *
     * @param clients each is closed after use
     * @param leads whether this steward has the Lease
     * @param clock that does not jump
     */
    KubeletWorker(Supplier<ClusterClient> clients, BooleanSupplier leads, Speaker speaker, InstantSource clock) {
        this.clients = clients;
        this.leads = leads;
        this.speaker = speaker;
        this.clock = clock;
    }

    /** @return what to report; empty unless this steward leads, and a kubelet is wished */
    Optional<KubeletRollReport> turn(ControlPlaneObject object) {
        if (!leads.getAsBoolean()) {
            roll = KubeletRoll.State.BEGIN;
            last = Optional.empty();
            isReleased = false;
            return Optional.empty();
        }
        if (last.isEmpty()) {
            last = KubeletRollReport.of(object);
        }
        try {
            Optional<KubeletPolicy> policy = object.kubelet();
            if (policy.isEmpty()) {
                withdrawn();
                return Optional.empty();
            }
            isReleased = false;
            return Optional.of(say(step(object, policy.get())));
        } catch (MalformedJson e) {
            return Optional.of(say(failed(object, "spec.kubelet " + e.getMessage())));
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.API_UNAVAILABLE) {
                // The next turn asks again.
                return last;
            }
            return Optional.of(say(failed(object, Steward.describe(e))));
        }
    }

    /** After a wish was withdrawn a node may be left cordoned, also by a former leader of whom no status tells any more: it is uncordoned. */
    private void withdrawn() {
        if (last.isPresent()) {
            release(KubeletRolling::release);
        } else if (!isReleased) {
            release(KubeletRolling::releaseOwn);
        }
        isReleased = true;
        last = Optional.empty();
        roll = KubeletRoll.State.BEGIN;
    }

    /** Reports a failure. No other node is touched, and the one that was drained next is uncordoned. */
    private KubeletRollReport failed(ControlPlaneObject object, String why) {
        String message = why;
        try {
            release(KubeletRolling::release);
        } catch (ProblemException e) {
            message += "; " + Steward.describe(e);
        }
        roll = KubeletRoll.State.BEGIN;
        return new KubeletRollReport(State.FAILED, object.generation(), message);
    }

    private void release(Consumer<KubeletRolling> which) {
        try (ClusterClient client = clients.get()) {
            which.accept(rolling(client, new KubeletManner(Duration.ZERO, false)));
        }
    }

    private KubeletRolling rolling(ClusterClient client, KubeletManner manner) {
        return new KubeletRolling(client, new LoggedSteps(), PATIENCE, manner, clock);
    }

    private KubeletRollReport step(ControlPlaneObject object, KubeletPolicy policy) {
        try (ClusterClient client = clients.get()) {
            KubeletRolling rolling = rolling(client, policy.manner());
            KubeletRolling.Step step =
                    rolling.step(policy.wish(), roll, clock.instant(), nodes -> requireFlags(nodes, policy.wish()));
            roll = step.state();
            if (step.isDone()) {
                return new KubeletRollReport(State.CURRENT, object.generation(), "");
            }
            Optional<String> done = step.done();
            done.ifPresent(what -> speaker.say(false, "RollingKubelets", what));
            String waits = step.waitsFor().isEmpty() ? "one node after the other" : "waits for " + step.waitsFor();
            return new KubeletRollReport(State.ROLLING, object.generation(), done.orElse(waits));
        }
    }

    /** Requires that the kubelet of every node, or the one that it is to become, has the wished flags, before any node is changed. */
    private static void requireFlags(List<NodeKubelet> nodes, KubeletWish wish) {
        if (wish.arguments().isEmpty()) {
            return;
        }
        Optional<String> wished = wish.program().map(KubeletWish.Program::version);
        nodes.stream()
                .map(node -> wished.orElseGet(node::version))
                .distinct()
                .flatMap(version -> KubernetesVersion.parse(version).stream())
                .forEach(version -> KubeletFlags.require("spec.kubelet.arguments.", version, List.of(""), wish));
    }

    private KubeletRollReport say(KubeletRollReport report) {
        boolean isNews = !last.equals(Optional.of(report));
        if (isNews && report.state() == State.FAILED) {
            speaker.say(true, "KubeletFailed", report.message());
        } else if (isNews
                && last.filter(before -> before.state() != State.CURRENT).isPresent()
                && report.state() == State.CURRENT) {
            speaker.say(false, "KubeletsCurrent", "every node runs the kubelet that is wished");
        }
        last = Optional.of(report);
        return report;
    }
}
