package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.fields;
import static dev.ouroboros.sim.Blueprint.metadataOf;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.json.JsonText.MalformedJson;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The kubelet of the node with the habits that matter: static pods from files, whatever the API does; pods from the API as it saw them
 * last, none after its own start until an API server answered; back-off by the pod's uid, which of a static pod is its content; a pod
 * that it rejects because it has not read its labels yet stays Failed; files of a principal can only be made while the API answers.
 */
final class Kubelet {
    static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(10);
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);
    private static final Duration LIVENESS = Duration.ofSeconds(12);

    private static final Objects.Selector MINE =
            new Objects.Selector("/api/v1/pods", Map.of("spec.nodeName", Blueprint.NODE), Map.of());

    private final Machine machine;
    private final Chance chance;
    private final SortedMap<String, PodRun> runs = new TreeMap<>();
    /** The same as a list: it is asked for many times an event. */
    private List<PodRun> list = List.of();

    /** What was there when the power went: the runtime has it on its disk. */
    private final Map<String, PodRun> remains = new HashMap<>();

    private final Map<String, Json.Fields> parsed = new HashMap<>();
    private SortedMap<String, Json.Fields> known = new TreeMap<>();
    private boolean reachedApi;
    private boolean joined;
    private int rejects;

    Kubelet(Machine machine, Chance chance) {
        this.machine = machine;
        this.chance = chance;
    }

    /** The pods of the runtime, static ones too. */
    List<PodRun> runs() {
        return list;
    }

    private void put(PodRun run) {
        runs.put(run.uid, run);
        list = List.copyOf(runs.values());
    }

    private void remove(PodRun run) {
        runs.remove(run.uid);
        list = List.copyOf(runs.values());
    }

    /** Everything ended and what was in memory is gone. */
    void losePower() {
        runs.values().stream().filter(run -> run.attempts > 0).forEach(run -> remains.put(run.uid, run));
        runs.clear();
        list = List.of();
        restart();
    }

    /** Containers go on; what it knew of the API is gone. */
    void restart() {
        known = new TreeMap<>();
        reachedApi = false;
    }

    /** Has a certificate of its own, and its Node. */
    void join() {
        joined = true;
    }

    /** A certificate is signed while controllers work, and when the right to ask for one is there. */
    void askToJoin() {
        if (!joined && machine.kubeletReachesApi() && Blueprint.isPopulated(machine.objects())) {
            machine.trace().say("kubelet", "joins");
            Blueprint.registerNode(machine.objects());
            joined = true;
        }
    }

    /** Knows every pod without having asked. */
    void adoptAll() {
        lookAtApi();
        desired().values().forEach(run -> {
            run.files = Mounts.ofPrincipal(run.pod, machine.objects()).orElseThrow();
            run.attempts = 1;
            run.program = Optional.of(machine.start(run));
            put(run);
        });
    }

    /** How often, of 100, a pod is rejected at the first look after a start. */
    void rejects(int often) {
        rejects = often;
    }

    void sync() {
        Instant now = machine.now();
        if (!joined && chance.of100(3)) {
            askToJoin();
        }
        boolean answers = joined && machine.kubeletReachesApi();
        if (answers) {
            lookAtApi();
        }
        SortedMap<String, PodRun> desired = desired();
        for (PodRun run : runs()) {
            if (!desired.containsKey(run.uid) && (run.isStatic || reachedApi)) {
                terminate(run, now, Duration.ofSeconds(1));
            } else if (isLeaving(run)) {
                terminate(run, now, chance.seconds(2, 5));
            }
        }
        desired.values().forEach(wanted -> admit(wanted));
        for (PodRun run : runs()) {
            keepRunning(run, now, answers);
            if (run.killAt.isPresent() && !run.isRunning(now)) {
                remove(run);
                if (answers && !run.isStatic && known.containsKey(run.uid)) {
                    machine.objects().remove(path(run));
                }
            }
        }
        if (answers) {
            report(now);
        }
    }

    private static String path(PodRun run) {
        return Blueprint.PODS.formatted(run.namespace) + run.name;
    }

    private boolean isLeaving(PodRun run) {
        return Optional.ofNullable(known.get(run.uid))
                .filter(pod -> !pod.at("metadata", "deletionTimestamp").isNull())
                .isPresent();
    }

    private void terminate(PodRun run, Instant now, Duration grace) {
        if (run.killAt.isEmpty()) {
            Instant end = now.plus(grace);
            run.killAt = Optional.of(end);
            run.program.ifPresent(program -> program.endAt(end));
            machine.trace().say("kubelet", "ends " + run.name);
        }
    }

    private void lookAtApi() {
        known = new TreeMap<>();
        for (Json.Fields pod : machine.objects().list(MINE)) {
            boolean mirror = !pod.at("metadata", "annotations", "kubernetes.io/config.mirror")
                    .isNull();
            boolean failed = pod.at("status", "phase").text().equals(Optional.of("Failed"));
            if (mirror || failed) {
                continue;
            }
            String uid = pod.at("metadata", "uid").text().orElseThrow();
            if (!reachedApi && chance.of100(rejects) && !runs.containsKey(uid)) {
                reject(pod);
            } else {
                known.put(uid, pod);
            }
        }
        reachedApi = true;
    }

    private void reject(Json.Fields pod) {
        machine.trace()
                .say("kubelet", "rejects " + pod.at("metadata", "name").text().orElse(""));
        machine.trace().count("habit: pod rejected");
        machine.objects()
                .put(
                        Blueprint.PODS.formatted(
                                        pod.at("metadata", "namespace").text().orElse(""))
                                + pod.at("metadata", "name").text().orElse(""),
                        pod.with("status", fields("phase", "Failed", "reason", "NodeAffinity")));
    }

    private SortedMap<String, PodRun> desired() {
        SortedMap<String, PodRun> desired = new TreeMap<>();
        for (String file : machine.disk().list(MANIFESTS)) {
            boolean pod = file.endsWith(".json") || file.endsWith(".yaml");
            if (pod && !file.startsWith(".")) {
                String text = machine.disk().readText(MANIFESTS.resolve(file)).orElse("");
                Json.Fields content = parsed.computeIfAbsent(text, Kubelet::parse);
                Optional<String> name = content.at("metadata", "name").text();
                if (name.isPresent()) {
                    String uid = "static-%08x".formatted(text.hashCode());
                    desired.put(
                            uid,
                            new PodRun(
                                    uid,
                                    content.at("metadata", "namespace").text().orElse("default"),
                                    name.get() + "-" + Blueprint.NODE,
                                    true,
                                    content,
                                    machine.wallClock()));
                }
            }
        }
        known.forEach((uid, pod) -> desired.put(
                uid,
                new PodRun(
                        uid,
                        pod.at("metadata", "namespace").text().orElse(""),
                        pod.at("metadata", "name").text().orElse(""),
                        false,
                        pod,
                        machine.now())));
        return desired;
    }

    /** What is not a pod is reported by a kubelet and left alone. */
    private static Json.Fields parse(String text) {
        try {
            return JsonText.read(text) instanceof Json.Fields pod ? pod : Json.object();
        } catch (MalformedJson e) {
            return Json.object();
        }
    }

    /** One running pod a name: the next one of a static pod waits for the last. */
    private void admit(PodRun wanted) {
        boolean nameIsTaken = runs.values().stream()
                .anyMatch(run -> run.namespace.equals(wanted.namespace) && run.name.equals(wanted.name));
        if (!nameIsTaken && !isLeaving(wanted)) {
            goOn(wanted);
            put(wanted);
        } else if (!runs.containsKey(wanted.uid) && isLeaving(wanted) && machine.kubeletReachesApi()) {
            machine.objects().remove(path(wanted));
        }
    }

    /** A pod that has a sandbox without power gets another one, and its restarts are counted on. */
    private void goOn(PodRun wanted) {
        Optional.ofNullable(remains.remove(wanted.uid)).ifPresent(before -> {
            wanted.sandboxesBefore = before.sandboxesBefore + 1;
            wanted.startsBefore = before.startsBefore + before.attempts;
        });
    }

    private void keepRunning(PodRun run, Instant now, boolean answers) {
        if (run.program
                .filter(program -> program.isProbed && program.isHungSince(now.minus(LIVENESS)))
                .isPresent()) {
            run.program.get().endAt(now);
            machine.trace().count("habit: liveness");
        }
        if (run.killAt.isPresent() || run.isRunning(now)) {
            return;
        }
        if (run.program.isPresent() && run.nextStart.isEmpty()) {
            run.nextStart = Optional.of(now.plus(backOff(run.attempts)));
            machine.trace().count("habit: back-off");
        }
        if (run.nextStart.isPresent() && now.isBefore(run.nextStart.get())) {
            return;
        }
        Optional<SortedMap<String, String>> files = run.isStatic
                ? Mounts.ofStatic(run.pod, machine.disk())
                : answers ? Mounts.ofPrincipal(run.pod, machine.objects()) : Optional.empty();
        if (files.isEmpty()) {
            machine.trace().count("habit: volume cannot be made");
            return;
        }
        run.files = files.get();
        run.nextStart = Optional.empty();
        run.attempts++;
        run.program = Optional.of(machine.start(run));
    }

    private static Duration backOff(int attempts) {
        Duration pause = FIRST_BACK_OFF.multipliedBy(1L << Math.min(attempts - 1, 6));
        return pause.compareTo(LONGEST_BACK_OFF) < 0 ? pause : LONGEST_BACK_OFF;
    }

    private void report(Instant now) {
        for (PodRun run : runs()) {
            Optional<Json.Fields> there = machine.objects().get(path(run));
            if (there.isEmpty() && run.isStatic) {
                Json.Fields metadata =
                        metadataOf(run.pod).with("name", Json.text(run.name)).with("annotations", mirrored(run));
                there = Optional.of(run.pod
                        .with("metadata", metadata)
                        .with("spec", ((Json.Fields) run.pod.at("spec")).with("nodeName", Json.text(Blueprint.NODE))));
            }
            there.ifPresent(pod -> {
                Json.Fields status = status(run, now);
                if (!status.equals(pod.at("status"))) {
                    machine.objects().put(path(run), pod.with("status", status));
                }
            });
        }
        List<String> gone = new ArrayList<>();
        machine.objects().below("/api/v1/namespaces/").forEach((path, object) -> {
            boolean mirror = path.contains("/pods/")
                    && !object.at("metadata", "annotations", "kubernetes.io/config.mirror")
                            .isNull();
            if (mirror && runs.values().stream().noneMatch(run -> path(run).equals(path))) {
                gone.add(path);
            }
        });
        gone.forEach(machine.objects()::remove);
    }

    private static Json.Fields mirrored(PodRun run) {
        Json.Fields annotations =
                run.pod.at("metadata", "annotations") instanceof Json.Fields known ? known : Json.object();
        return annotations
                .with("kubernetes.io/config.mirror", Json.text(run.uid))
                .with("kubernetes.io/config.source", Json.text("file"));
    }

    private Json.Fields status(PodRun run, Instant now) {
        boolean ready = run.isReady(now, machine.etcd());
        Json.Fields container = fields(
                "name",
                run.pod.at("spec", "containers").items().stream()
                        .findFirst()
                        .flatMap(first -> first.at("name").text())
                        .orElse(""),
                "restartCount",
                run.restartCount());
        if (!run.isRunning(now)) {
            String reason = run.attempts == 0 ? "ContainerCreating" : "CrashLoopBackOff";
            container = container.with("state", fields("waiting", fields("reason", reason, "message", "")));
        }
        return fields(
                "phase",
                run.attempts == 0 ? "Pending" : "Running",
                "conditions",
                List.of(fields("type", "Ready", "status", ready ? "True" : "False")),
                "containerStatuses",
                List.of(container));
    }
}
