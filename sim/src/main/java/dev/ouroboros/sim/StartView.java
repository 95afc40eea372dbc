package dev.ouroboros.sim;

import dev.ouroboros.bootstrap.decide.PivotObservation;
import dev.ouroboros.bootstrap.decide.PivotObservation.Acceptance;
import dev.ouroboros.bootstrap.decide.PivotObservation.Applied;
import dev.ouroboros.bootstrap.decide.PivotObservation.Crash;
import dev.ouroboros.bootstrap.decide.PivotObservation.Front;
import dev.ouroboros.bootstrap.decide.PivotObservation.Manifest;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.NodeView;
import dev.ouroboros.model.start.SelfHostedWorkload;
import dev.ouroboros.sim.Blueprint.Kept;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What one {@code start} sees of the node and of the API. */
final class StartView {
    private static final Duration EXPIRING = Duration.ofSeconds(12);

    private final Machine machine;
    private final StartFiles files;
    private final Map<Server, Health> health = new EnumMap<>(Server.class);
    private Optional<Instant> answersSince = Optional.empty();
    private Optional<Instant> restored = Optional.empty();

    StartView(Machine machine, StartFiles files) {
        this.machine = machine;
        this.files = files;
    }

    /**
     * What this {@code start} has done and knows from that alone.
     *
     * @param workloads how many it has applied
     */
    record Tried(boolean applied, int workloads, boolean restartPending, boolean frontProven, boolean accepted) {}

    /** From now on pods from before the restore count as gone, as for {@code cluster.FormerLife}, until they are deleted. */
    void restored(Instant moment) {
        restored = Optional.of(moment).filter(when -> !files.hasDeletedFormerPods(when));
    }

    boolean isFormer(Json pod) {
        return includes(restored, pod);
    }

    void formerPodsDeleted() {
        restored = Optional.empty();
    }

    /** Whether there was a restore and the pod is from before it; API servers write whole seconds. */
    private static boolean includes(Optional<Instant> restored, Json pod) {
        return restored.isPresent()
                && pod.at("metadata", "creationTimestamp")
                        .text()
                        .map(Instant::parse)
                        .filter(created -> created.truncatedTo(ChronoUnit.SECONDS)
                                .plusSeconds(1)
                                .isBefore(restored.get()))
                        .isPresent();
    }

    PivotObservation observe(Tried tried) {
        boolean api = machine.servers().answers();
        Map<Component, Evidence<Manifest>> manifests = new EnumMap<>(Component.class);
        Map<Component, Evidence<Health>> helpers = new EnumMap<>(Component.class);
        for (Component component : Component.WITH_UNDERSTUDY) {
            manifests.put(component, Evidence.known(files.manifest(component)));
            helpers.put(
                    component,
                    Evidence.known(runs(component) ? new Health.Ready(machine.now()) : new Health.NotListening()));
        }
        Optional<Server> routed = machine.servers().routed();
        return new PivotObservation(
                probe(Server.UNDERSTUDY),
                probe(Server.PRINCIPAL),
                readers(),
                endpoint(api),
                routed.<Evidence<Server>>map(Evidence::known).orElseGet(() -> Evidence.unknown("nobody answers")),
                helpers,
                manifests,
                Evidence.known(crashes()),
                Evidence.known(files.hasSecrets()),
                front(),
                tried.frontProven() ? Evidence.known(List.<Problem>of()) : Evidence.unknown("not proven yet"),
                isApplied(tried.applied() ? 1 : 0, 1),
                isApplied(tried.workloads(), Blueprint.WORKLOADS.size()),
                ofApi(api, node()),
                Evidence.known(tried.restartPending()),
                ofApi(api, Blueprint.WORKLOADS.stream().map(this::workload).toList()),
                ofApi(api, List.of()),
                ofApi(api, machine.objects().get(Blueprint.SERVICE).isPresent()),
                List.of(),
                tried.accepted() ? Evidence.known(new Acceptance.Passed()) : Evidence.unknown("not run yet"));
    }

    /** {@code start} knows only of what it has applied itself, and does not forget it. */
    private static Evidence<Applied> isApplied(int done, int total) {
        return done > 0 ? Evidence.known(new Applied(done, total)) : Evidence.unknown("not applied yet");
    }

    private static <T> Evidence<T> ofApi(boolean answers, T value) {
        return answers ? Evidence.known(value) : Evidence.unknown("no API server answers");
    }

    private Evidence<Health> endpoint(boolean answers) {
        answersSince = answers ? answersSince.or(() -> Optional.of(machine.now())) : Optional.empty();
        return Evidence.known(answersSince.<Health>map(Health.Ready::new).orElseGet(() -> new Health.NotReady("")));
    }

    private Evidence<Health> probe(Server server) {
        Health now = machine.servers().probe(server, health.getOrDefault(server, new Health.NotListening()));
        health.put(server, now);
        return Evidence.known(now);
    }

    private Evidence<Set<Server>> readers() {
        if (!machine.servers().isReady(Server.PRINCIPAL)) {
            return Evidence.unknown("the self-hosted API server is not ready");
        }
        return Evidence.known(Arrays.stream(Server.values())
                .filter(server -> machine.servers()
                        .ready(server)
                        .filter(program -> program.behaviour != Behaviour.CANNOT_READ_SECRETS)
                        .isPresent())
                .collect(Collectors.toUnmodifiableSet()));
    }

    private boolean runs(Component component) {
        return machine.kubelet().runs().stream()
                .anyMatch(run -> run.name.startsWith(component.temporaryPod()) && run.isRunning(machine.now()));
    }

    private List<Crash> crashes() {
        return Component.WITH_UNDERSTUDY.stream()
                .flatMap(component -> machine.kubelet().runs().stream()
                        .filter(run -> run.name.startsWith(component.temporaryPod()) && run.attempts > 1)
                        .map(run -> new Crash(component, run.attempts - 1, "")))
                .toList();
    }

    private Evidence<Front> front() {
        return switch (machine.front().read()) {
            case FrontState.NotInstalled _ -> Evidence.known(Front.ABSENT);
            case FrontState.ToPrincipal _ -> Evidence.known(Front.PRINCIPAL);
            case FrontState.ToUnderstudy(Duration left, var _) ->
                Evidence.known(left.compareTo(EXPIRING) < 0 ? Front.UNDERSTUDY_EXPIRING : Front.UNDERSTUDY);
            case FrontState.Unknown(String why) -> Evidence.unknown(why);
            case FrontState.Foreign _, FrontState.Damaged _ -> Evidence.unknown("cannot be understood");
        };
    }

    private NodeView node() {
        Optional<Json.Fields> node = machine.objects().get(Blueprint.nodePath(machine.name()));
        boolean labelled = node.filter(found ->
                        !found.at("metadata", "labels", Blueprint.ROLE_LABEL).isNull())
                .isPresent();
        return new NodeView(node.isPresent(), labelled, List.of());
    }

    SelfHostedWorkload workload(Kept kept) {
        List<PodRun> pods = machine.kubelet().runs().stream()
                .filter(run -> !run.isStatic && run.namespace.equals(kept.namespace()) && run.role == kept.role())
                .filter(run -> !kept.namespace().equals(Blueprint.SYSTEM) || !isFormer(run.pod))
                .toList();
        long ready = pods.stream()
                .filter(run -> run.isReady(machine.now(), machine.etcdAnswers()))
                .count();
        int restarts = kept.role() == Role.OTHER
                ? 0
                : pods.stream()
                        .filter(run -> !run.isReady(machine.now(), machine.etcdAnswers()))
                        .mapToInt(run -> Math.max(0, run.attempts - 1))
                        .max()
                        .orElse(0);
        return new SelfHostedWorkload(
                kept.namespace() + "/" + kept.name(),
                (int) ready,
                machine.objects().get(kept.path()).isPresent() ? 1 : 0,
                (int) pods.stream().filter(run -> run.attempts > 0).count(),
                restarts,
                kept.isDaemonSet() && machine.cluster().controllers().hasOutdatedPod(kept),
                "",
                List.of());
    }
}
