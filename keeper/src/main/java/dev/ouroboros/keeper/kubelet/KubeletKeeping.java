package dev.ouroboros.keeper.kubelet;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.keeper.api.EventReason;
import dev.ouroboros.keeper.kubelet.decide.KubeletAction;
import dev.ouroboros.keeper.kubelet.decide.KubeletDuty;
import dev.ouroboros.keeper.kubelet.decide.KubeletSeen;
import dev.ouroboros.keeper.kubelet.decide.KubeletSeen.NodeView;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.observe.NodeWatch;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this node's kubelet as its Node's annotation wishes it: does what {@link KubeletDuty} says, and writes how it stands to the Node. The guard on the host
 * exchanges the kubelet, and goes back without us.
 */
public final class KubeletKeeping {
    private static final Logger LOG = LoggerFactory.getLogger(KubeletKeeping.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(10);
    /** Asks again also when nothing is known to have changed: a watch that stalls is found after minutes. */
    private static final Duration ASK_EVERY = Duration.ofMinutes(1);

    private static final Duration IN_A_TRIAL = Duration.ofSeconds(2);
    /** The guard writes it when the kubelet that it tries begins to be well. */
    private static final String WELL = "well";

    private final ApiPath node;
    private final Supplier<Optional<String>> watched;
    private final KubeletFiles files;
    private final Api api;
    private final ClusterGuard guard;
    private final EventRecorder events;
    private final InstantSource wallClock;
    private final AtomicReference<Optional<KubeletReport>> last = new AtomicReference<>(Optional.empty());
    /** Of the last look after which nothing was left to be done. */
    private Optional<Settled> settled = Optional.empty();

    /** Since when the API has answered each time. */
    private Optional<Instant> answersSince = Optional.empty();
    /** Whether the Node was Ready when the trial was begun that is on, or the last one if no kubelet has said anything since its end. */
    private boolean wasReady;

    /**
     * For one node.
     *
     * @param directory {@link KubeletLayout#DIRECTORY}, as we see it
     * @param api as somebody who may change this Node's annotations
     * @param watched the Node's {@code resourceVersion} as a watch has it; empty while it has none
     * @param events about the Node
     * @param wallClock of which the times of files and Nodes are
     */
    public KubeletKeeping(
            String nodeName,
            Path directory,
            Disk disk,
            Api api,
            ClusterGuard guard,
            Supplier<Optional<String>> watched,
            EventRecorder events,
            InstantSource wallClock) {
        this.node = ApiPath.core("nodes").named(nodeName);
        this.watched = watched;
        this.files = new KubeletFiles(disk, directory);
        this.api = api;
        this.guard = guard;
        this.events = events;
        this.wallClock = wallClock;
    }

    /** Begins. */
    public void start(Lookouts lookouts) {
        lookouts.repeat("kubelet", this::look);
    }

    /**
     * What a look sees on this node's disk.
     *
     * @param startedAt when the kubelet was started last
     */
    private record Here(
            Optional<KubeletGeneration> base,
            String current,
            Optional<String> started,
            Optional<Instant> startedAt,
            SortedSet<String> generations,
            SortedMap<String, String> outcomes,
            SortedSet<String> programs) {}

    private record Settled(Instant at, String resourceVersion, Here here) {}

    /** @return how long to wait until the next look */
    Duration look() {
        try {
            // The trial first: it goes when all else is settled.
            Optional<String> trial = files.word(KubeletLayout.TRIAL);
            Here here = here();
            if (trial.isEmpty() && isSettled(here)) {
                return LOOK_EVERY;
            }
            settled = Optional.empty();
            guard.require();
            Json object = api.get(node);
            answersSince = answersSince.or(() -> Optional.of(wallClock.instant()));
            if (look(object, trial, here) && trial.isEmpty()) {
                settled = Optional.of(new Settled(wallClock.instant(), NodeWatch.resourceVersion(object), here));
            }
        } catch (ApiException e) {
            // Nothing may be concluded of it, and the next look asks again.
            answersSince = Optional.empty();
            LOG.debug("component=kubelet event=not-looked reason=\"{}\"", e.getMessage());
        } catch (ProblemException e) {
            LOG.warn("component=kubelet event=failed reason=\"{}\"", e.describe());
        }
        return files.word(KubeletLayout.TRIAL).isPresent() ? IN_A_TRIAL : LOOK_EVERY;
    }

    private Here here() {
        return new Here(
                files.base(),
                files.word(KubeletLayout.CURRENT).orElse(KubeletLayout.BASE),
                files.word(KubeletLayout.STARTED),
                files.modifiedAt(KubeletLayout.STARTED),
                files.generations(),
                files.outcomes(),
                files.programs());
    }

    /** Whether Node and disk are as they were when nothing was left to be done. */
    private boolean isSettled(Here here) {
        return settled.filter(then -> then.here().equals(here)
                        && then.at().plus(ASK_EVERY).isAfter(wallClock.instant())
                        && watched.get().equals(Optional.of(then.resourceVersion())))
                .isPresent();
    }

    /** @return whether it was done, what there was to do */
    private boolean look(Json object, Optional<String> trial, Here here) throws ApiException {
        KubeletDuty duty = KubeletDuty.of(seen(object, trial, here));
        boolean isTried = duty.action() instanceof KubeletAction.Try;
        if (isTried) {
            // A kubelet that is exchanged may take the API with it.
            report(object, duty.report());
        }
        try {
            files.perform(duty.action());
        } catch (ProblemException e) {
            report(object, duty.report().saying(e.describe()));
            return false;
        }
        if (!isTried) {
            report(object, duty.report());
        }
        return true;
    }

    private KubeletSeen seen(Json object, Optional<String> trial, Here here) {
        Instant now = wallClock.instant();
        Instant answers = answersSince.orElse(now);
        Optional<Instant> well = files.modifiedAt(WELL).map(since -> since.isBefore(answers) ? answers : since);
        return new KubeletSeen(
                here.base(),
                here.current(),
                here.started(),
                trial,
                here.generations(),
                here.outcomes(),
                here.programs(),
                well.map(since -> Duration.between(since, now)),
                view(object, here.startedAt()));
    }

    private NodeView view(Json object, Optional<Instant> startedAt) {
        Optional<Json> said = object.at("status", "conditions").items().stream()
                .filter(condition -> condition.at("type").equals(Json.text("Ready")))
                .findFirst();
        boolean isSaid =
                said.filter(condition -> wasSaidSince(condition, startedAt)).isPresent();
        boolean isReady = said.filter(condition -> condition.at("status").equals(Json.text("True")))
                .isPresent();
        wasReady = files.isTriedWhileReady().orElse(wasReady && !isSaid);
        return new NodeView(
                object.at("metadata", "annotations", KubeletWish.ANNOTATION)
                        .text()
                        .orElse(""),
                isReady,
                isReady && isSaid,
                wasReady);
    }

    /** Times in the API have whole seconds. */
    private static boolean wasSaidSince(Json condition, Optional<Instant> startedAt) {
        try {
            Instant said =
                    Instant.parse(condition.at("lastHeartbeatTime").text().orElse(""));
            return startedAt.isEmpty() || !said.plusSeconds(1).isBefore(startedAt.get());
        } catch (DateTimeException e) {
            return false;
        }
    }

    private void report(Json object, KubeletReport now) throws ApiException {
        Optional<KubeletReport> before = last.getAndSet(Optional.of(now));
        if (!before.equals(Optional.of(now))) {
            LOG.info(
                    "component=kubelet event=state state={} running={} wanted={} message=\"{}\"",
                    now.state().word(),
                    now.running(),
                    now.wanted(),
                    now.message());
        }
        String text = JsonText.text(now.json());
        Optional<String> written =
                object.at("metadata", "annotations", KubeletReport.ANNOTATION).text();
        if (!written.equals(Optional.of(text))) {
            say(object, written.flatMap(KubeletReport::read), now);
            api.patch(
                    node,
                    Api.PatchType.MERGE,
                    Json.object()
                            .with(
                                    "metadata",
                                    Json.object()
                                            .with(
                                                    "annotations",
                                                    Json.object().with(KubeletReport.ANNOTATION, Json.text(text)))));
        }
    }

    /** What people should hear of: compared with what the Node has said, so that whoever begins anew does not say it again. */
    private void say(Json object, Optional<KubeletReport> before, KubeletReport now) {
        boolean isSame = before.filter(
                        said -> said.state() == now.state() && said.wish().equals(now.wish()))
                .isPresent();
        boolean wasTried = before.filter(said -> said.state() == KubeletReport.State.TRYING)
                .isPresent();
        Optional<EventReason> reason = switch (now.state()) {
            case TRYING -> Optional.of(EventReason.KUBELET_TRIED);
            case FAILED -> Optional.of(EventReason.KUBELET_FAILED);
            case REFUSED -> Optional.of(EventReason.KUBELET_REFUSED);
            case RUNNING -> Optional.of(EventReason.KUBELET_CHANGED).filter(_ -> wasTried);
            case WAITING, UNMANAGED -> Optional.empty();
        };
        if (!isSame && reason.isPresent()) {
            String name = object.at("metadata", "name").text().orElse("");
            String message = now.message().isEmpty() ? reason.get().meaning() : now.message();
            // As kubelets do: kubectl describe node looked for nothing else before 1.24.
            events.say(reason.get().of(new EventRecorder.About("Node", "v1", "", name, name), message));
        }
    }

    /** How it stands, for {@code /state}. */
    public Json state() {
        return last.get().<Json>map(KubeletReport::json).orElseGet(Json::absent);
    }
}
