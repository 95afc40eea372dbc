package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.fields;
import static dev.ouroboros.sim.Blueprint.metadataOf;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.sim.Blueprint.Kept;
import dev.ouroboros.sim.Blueprint.Template;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What befalls a cluster, or one machine of it: what breaks, and what people do. */
enum Fault {
    POWER_CUT,
    POWER_CUT_AT_A_WRITE,
    KEEPER_KILLED,
    KEEPER_KILLED_AT_A_WRITE,
    KEEPER_STOPPED,
    KEEPER_LATE,
    START_KILLED,
    START_STOPPED,
    DISK_FULL,
    DISK_READ_ONLY,
    PRINCIPAL_KILLED,
    UNDERSTUDY_KILLED,
    PRINCIPAL_HANGS,
    UNDERSTUDY_HANGS,
    SOMEONE_KILLED,
    KUBELET_RESTARTS,
    RUNTIME_SILENT,
    FRONT_FLUSHED,
    KERNEL_SILENT,
    ETCD_AWAY,
    ETCD_RESTORED,
    KUBELET_CUT_OFF,
    CONTROLLERS_CUT_OFF,
    CLOCK_JUMPS,
    API_TROUBLE,
    COMPACTION,
    LABEL_LOST,
    API_SERVER_POD_DELETED,
    CONTROLLERS_DELETED,
    KEEPER_POD_DELETED,
    ALL_PODS_DELETED,
    GOOD_CHANGE,
    BAD_CHANGE,
    UPGRADE,
    CHANGE_TAKEN_BACK,
    BAD_CHANGE_OF_OTHERS,
    KEY_REMOVED,
    KEY_ROTATED,
    PAUSED,
    SCALED,
    /** A machine is off for minutes. */
    MACHINE_OFF,
    /** One machine reaches no other. */
    MACHINE_CUT_OFF,
    /** Two machines do not reach each other. */
    LINK_CUT,
    /** People take a node out of the control plane, or in again. */
    LABEL_CHANGED,
    /** Somebody deletes the Endpoints of the kubernetes Service. */
    ENDPOINTS_DELETED;

    /** Those that need several machines, from here on. */
    private static final Fault FIRST_OF_SEVERAL = MACHINE_OFF;
    /** Of an etcd with several members a restore is not one file for one machine. */
    private static final Set<Fault> OF_ONE = Set.of(ETCD_RESTORED, START_KILLED, START_STOPPED);

    private static final List<Kept> OTHERS = List.of(Blueprint.MANAGER, Blueprint.SCHEDULER, Blueprint.OTHER);
    private static final List<Behaviour> BAD = List.of(
            Behaviour.CRASHES_AT_ONCE,
            Behaviour.CRASHES_LATER,
            Behaviour.CRASHES_LATER,
            Behaviour.SLY,
            Behaviour.NEVER_READY,
            Behaviour.CANNOT_READ_SECRETS);
    private static final List<Duration> JUMPS =
            List.of(Duration.ofSeconds(7), Duration.ofMinutes(3), Duration.ofHours(1), Duration.ofDays(400));

    /** Those that can befall a cluster. */
    static List<Fault> of(ClusterModel cluster) {
        return Arrays.stream(values())
                .filter(fault -> cluster.hasSeveral() ? !OF_ONE.contains(fault) : !fault.needsSeveral())
                .toList();
    }

    boolean needsSeveral() {
        return compareTo(FIRST_OF_SEVERAL) >= 0;
    }

    /** Whether a person has to do it, through an API server that answers. */
    boolean needsApi() {
        return compareTo(LABEL_CHANGED) >= 0 || (compareTo(LABEL_LOST) >= 0 && !needsSeveral());
    }

    void strike(ClusterModel cluster, Chance chance) {
        if (needsApi() && !cluster.answers()) {
            return;
        }
        Machine machine = cluster.hasSeveral() ? chance.one(cluster.machines()) : cluster.first();
        machine.say("fault", name());
        cluster.trace().count("fault: " + name());
        switch (this) {
            case POWER_CUT -> machine.losePower("");
            case POWER_CUT_AT_A_WRITE -> machine.cutAtWrite(chance.below(40), false);
            case KEEPER_KILLED -> machine.killKeeper();
            case KEEPER_KILLED_AT_A_WRITE -> machine.cutAtWrite(chance.below(40), true);
            case KEEPER_STOPPED -> machine.stopKeeper(chance.seconds(3, 100));
            case KEEPER_LATE -> late(machine, chance, machine.now().plus(chance.seconds(20, 200)));
            case START_KILLED -> machine.starts().kill();
            case START_STOPPED -> machine.starts().standStill(chance.seconds(3, 100));
            case DISK_FULL -> disk(machine, chance, ModelDisk.Fault.FULL);
            case DISK_READ_ONLY -> disk(machine, chance, ModelDisk.Fault.REFUSES);
            case PRINCIPAL_KILLED -> kill(machine, Role.API_SERVER, false);
            case UNDERSTUDY_KILLED -> kill(machine, Role.API_SERVER, true);
            case PRINCIPAL_HANGS -> hang(machine, Server.PRINCIPAL);
            case UNDERSTUDY_HANGS -> hang(machine, Server.UNDERSTUDY);
            case SOMEONE_KILLED -> kill(machine, chance.one(OTHERS).role(), chance.of100(30));
            case KUBELET_RESTARTS -> machine.kubelet().restart();
            case RUNTIME_SILENT -> {
                machine.runtimeAnswers(false);
                machine.timeline().after(machine.world(), chance.seconds(1, 40), () -> machine.runtimeAnswers(true));
            }
            case FRONT_FLUSHED -> {
                machine.front().flush();
                machine.balancer().remove();
            }
            case KERNEL_SILENT -> {
                machine.front().silent = true;
                machine.timeline().after(machine.world(), chance.seconds(1, 20), () -> machine.front().silent = false);
            }
            case ETCD_AWAY -> {
                cluster.etcd().reachable(false);
                cluster.timeline()
                        .after(
                                cluster.world(),
                                chance.seconds(1, 60),
                                () -> cluster.etcd().reachable(true));
            }
            case ETCD_RESTORED -> cluster.etcd().restore(chance.seconds(3, 30));
            case KUBELET_CUT_OFF -> {
                machine.kubeletReachesApi(false);
                machine.timeline().after(machine.world(), outage(chance), () -> machine.kubeletReachesApi(true));
            }
            case CONTROLLERS_CUT_OFF -> {
                machine.controllersReachApi(false);
                machine.timeline().after(machine.world(), outage(chance), () -> machine.controllersReachApi(true));
            }
            case CLOCK_JUMPS -> machine.jump(chance.one(JUMPS).multipliedBy(chance.of100(50) ? 1 : -1));
            case API_TROUBLE -> trouble(machine, chance);
            case COMPACTION -> cluster.objects().compact();
            case LABEL_LOST -> Blueprint.labelNode(cluster.objects(), machine, Json.object());
            case API_SERVER_POD_DELETED -> delete(cluster, List.of(Blueprint.API_SERVER));
            case CONTROLLERS_DELETED -> delete(cluster, List.of(Blueprint.MANAGER, Blueprint.SCHEDULER));
            case KEEPER_POD_DELETED -> delete(cluster, List.of(Blueprint.KEEPER));
            case ALL_PODS_DELETED -> delete(cluster, Blueprint.ALL);
            case GOOD_CHANGE, CHANGE_TAKEN_BACK ->
                change(
                        cluster,
                        Blueprint.API_SERVER,
                        new Template("v1.20.2", this == GOOD_CHANGE ? 2 + chance.below(3) : 1, Behaviour.GOOD));
            case BAD_CHANGE ->
                change(cluster, Blueprint.API_SERVER, new Template("v1.20.2", 2 + chance.below(3), chance.one(BAD)));
            case UPGRADE ->
                change(
                        cluster,
                        Blueprint.API_SERVER,
                        new Template("v1.20." + (3 + chance.below(2)), 1, Behaviour.GOOD));
            case BAD_CHANGE_OF_OTHERS ->
                change(cluster, chance.one(OTHERS), new Template("v1.20.2", 2 + chance.below(3), chance.one(BAD)));
            case KEY_REMOVED -> {
                secrets(cluster, Map.of("tls.key", "key-1", "sa.key", "sa-1"), Map.of("kubeconfig", "k-1"));
                beginAnew(cluster, chance);
            }
            case KEY_ROTATED -> {
                String suffix = "-" + (2 + chance.below(3));
                secrets(
                        cluster,
                        Map.of("tls.key", "key" + suffix, "sa.key", "sa-1", "extra", "e-1"),
                        Map.of("kubeconfig", "k" + suffix, "extra", "e-1"));
                beginAnew(cluster, chance);
            }
            case PAUSED -> pause(cluster, chance);
            case SCALED -> cluster.scaling().strike(chance);
            case MACHINE_OFF -> machine.losePower("for long", Optional.of(chance.seconds(40, 300)));
            case MACHINE_CUT_OFF -> {
                cluster.machines().forEach(other -> cut(cluster, machine, other));
                cluster.timeline().after(cluster.world(), outage(chance), cluster.network()::heal);
            }
            case LINK_CUT -> {
                cut(cluster, machine, chance.one(cluster.machines()));
                cluster.timeline().after(cluster.world(), outage(chance), cluster.network()::heal);
            }
            case LABEL_CHANGED -> changeLabel(cluster, machine);
            case ENDPOINTS_DELETED -> {
                cluster.invariants().endpointsAreDeleted();
                cluster.objects().remove(Blueprint.SERVICE);
            }
        }
    }

    private static Duration outage(Chance chance) {
        return chance.of100(25) ? chance.seconds(100, 300) : chance.seconds(2, 60);
    }

    /** The keeper gets a little processor time now and then, as on an overloaded machine. */
    private static void late(Machine machine, Chance chance, Instant end) {
        Duration still = chance.millis(200, 9000);
        machine.stopKeeper(still);
        Duration again = still.plus(chance.millis(20, 1500));
        if (machine.now().plus(again).isBefore(end)) {
            machine.timeline().after(machine.world(), again, () -> late(machine, chance, end));
        }
    }

    private static void disk(Machine machine, Chance chance, ModelDisk.Fault fault) {
        machine.disk().breakAfter(chance.below(10), fault);
        machine.timeline().after(machine.world(), chance.seconds(1, 90), machine.disk()::repair);
    }

    private static void kill(Machine machine, Role role, boolean isStatic) {
        machine.kubelet().runs().stream()
                .flatMap(run -> run.program.stream())
                .filter(program -> program.role == role && program.isStatic == isStatic)
                .forEach(program -> program.endAt(machine.now()));
    }

    private static void hang(Machine machine, Server server) {
        machine.servers().running(server).ifPresent(program -> program.hang(machine.now()));
    }

    private static void trouble(Machine machine, Chance chance) {
        Trouble.Kind kind = chance.one(List.of(Trouble.Kind.values()));
        int odds = kind == Trouble.Kind.OTHER_CLUSTER ? 0 : chance.one(List.of(10, 50, 100));
        machine.trouble(new Trouble(kind, odds));
        machine.trace().say("fault", "the API fails by " + machine.trouble());
        machine.timeline()
                .after(
                        machine.world(),
                        chance.of100(25) ? chance.seconds(320, 500) : chance.seconds(2, 60),
                        () -> machine.trouble(Trouble.NONE));
    }

    private static void cut(ClusterModel cluster, Machine one, Machine other) {
        if (one != other) {
            cluster.network().cut(one, other);
            cluster.etcd().elect();
        }
    }

    private static void changeLabel(ClusterModel cluster, Machine machine) {
        Json.Fields labels = machine.isLabelled() ? Json.object() : fields(Blueprint.ROLE_LABEL, "");
        Blueprint.labelNode(cluster.objects(), machine, labels);
    }

    static void delete(ClusterModel cluster, List<Kept> whose) {
        for (Kept kept : whose) {
            cluster.objects().below(Blueprint.PODS.formatted(kept.namespace()) + kept.name()).keySet().stream()
                    .toList()
                    .forEach(cluster::markDeleted);
        }
    }

    static void change(ClusterModel cluster, Kept kept, Template template) {
        cluster.objects().get(kept.path()).ifPresent(set -> {
            Json.Fields wanted = Blueprint.template(kept, template);
            if (set.at("spec", "template").equals(wanted)) {
                return;
            }
            cluster.trace().say("user", kept.name() + " is to be " + template);
            long generation = set.at("metadata", "generation").integer().orElse(0);
            cluster.objects()
                    .put(
                            kept.path(),
                            set.with("metadata", metadataOf(set).with("generation", Json.number(generation + 1)))
                                    .with("spec", ((Json.Fields) set.at("spec")).with("template", wanted)));
        });
    }

    private static void secrets(ClusterModel cluster, Map<String, String> server, Map<String, String> manager) {
        cluster.objects().put(Blueprint.SECRET, Blueprint.secret(Component.API_SERVER.id(), new TreeMap<>(server)));
        cluster.objects()
                .put(
                        Blueprint.MANAGER_SECRET,
                        Blueprint.secret(Component.CONTROLLER_MANAGER.id(), new TreeMap<>(manager)));
    }

    /** Who writes into a Secret under pods that run makes these anew some time later: nothing reads it before. */
    private static void beginAnew(ClusterModel cluster, Chance chance) {
        cluster.timeline().after(cluster.world(), chance.seconds(1, 120), () -> {
            if (cluster.answers()) {
                delete(cluster, List.of(Blueprint.API_SERVER, Blueprint.MANAGER));
            } else {
                beginAnew(cluster, chance);
            }
        });
    }

    private static void pause(ClusterModel cluster, Chance chance) {
        annotate(cluster, "true");
        cluster.timeline().after(cluster.world(), chance.seconds(5, 60), () -> annotate(cluster, "false"));
    }

    static void annotate(ClusterModel cluster, String paused) {
        String path = Blueprint.API_SERVER.path();
        cluster.objects().get(path).ifPresent(set -> {
            Json.Fields annotations = set.at("metadata", "annotations") instanceof Json.Fields known ? known : fields();
            cluster.objects()
                    .put(
                            path,
                            set.with(
                                    "metadata",
                                    metadataOf(set)
                                            .with(
                                                    "annotations",
                                                    annotations.with("ouroboros.dev/paused", Json.text(paused)))));
        });
    }
}
