package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.metadataOf;

import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.keeper.observe.LocalServers;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.json.Json;
import java.time.Instant;
import java.util.Optional;

/** The API servers of the node, through the front and at their own ports. */
final class Servers implements LocalServers {
    private final Machine machine;

    Servers(Machine machine) {
        this.machine = machine;
    }

    /** The process of one of the two servers; of several at once, the one that listens. */
    Optional<Program> running(Server server) {
        boolean isStatic = server == Server.UNDERSTUDY;
        Instant now = machine.now();
        Optional<Program> alive = Optional.empty();
        for (PodRun run : machine.kubelet().runs()) {
            if (run.isStatic == isStatic && run.program.isPresent()) {
                Program program = run.program.get();
                boolean runs = program.role == Role.API_SERVER && program.isAlive(now);
                if (runs && (alive.isEmpty() || program.listens(now))) {
                    alive = run.program;
                }
            }
        }
        return alive;
    }

    boolean listens(Server server) {
        return running(server).filter(program -> program.listens(machine.now())).isPresent();
    }

    boolean isReady(Server server) {
        return ready(server).isPresent();
    }

    /** The process of one of the two servers, if it is ready. */
    Optional<Program> ready(Server server) {
        Optional<Program> program = machine.etcd().answers() ? running(server) : Optional.empty();
        return program.isPresent() && program.get().isReady(machine.now()) ? program : Optional.empty();
    }

    /** The server that gets a new connection to the front port, once the kernel has found out whose port is closed. */
    Optional<Server> routed() {
        boolean away = machine.front().leadsToUnderstudy() || machine.front().leavesPrincipal();
        if (away && listens(Server.UNDERSTUDY)) {
            return Optional.of(Server.UNDERSTUDY);
        }
        if (listens(Server.PRINCIPAL)) {
            return machine.front().cutsOffPrincipal() ? Optional.empty() : Optional.of(Server.PRINCIPAL);
        }
        return machine.front().fallsBack() && listens(Server.UNDERSTUDY)
                ? Optional.of(Server.UNDERSTUDY)
                : Optional.empty();
    }

    /** Whether a client that dials the front port now is served. */
    boolean answers() {
        return routed().filter(this::isReady).isPresent();
    }

    /**
     * As a DELETE request does: a pod on a node is removed when its kubelet has ended it. A failed pod is removed at once, unless its
     * deletion began before it failed: then nothing happens.
     */
    void markDeleted(String path) {
        machine.objects().get(path).ifPresent(object -> {
            boolean marked = !object.at("metadata", "deletionTimestamp").isNull();
            boolean bound = path.contains("/pods/")
                    && !object.at("spec", "nodeName").isNull()
                    && (marked || !object.at("status", "phase").text().equals(Optional.of("Failed")));
            if (!bound) {
                machine.objects().remove(path);
            } else if (!marked) {
                machine.trace().say("api", "deletes " + path.substring(path.lastIndexOf('/') + 1));
                Json.Fields metadata = metadataOf(object)
                        .with("deletionTimestamp", Json.text(machine.wallClock().toString()));
                machine.objects().put(path, object.with("metadata", metadata));
            }
        });
    }

    @Override
    public Health probe(Server server, Health previous) {
        Optional<Program> program = running(server).filter(process -> process.listens(machine.now()));
        if (program.isEmpty()) {
            return new Health.NotListening();
        }
        if (program.get().isHung()) {
            return new Health.NotReady("Read timed out", program.get().hungSince());
        }
        if (!machine.etcd().answers()) {
            return new Health.NotReady("[+]ping ok\n[-]etcd failed: reason withheld\n");
        }
        if (!program.get().isReady(machine.now())) {
            return new Health.NotReady("[+]ping ok\n[-]poststarthook/rbac/bootstrap-roles failed: not finished\n");
        }
        return previous instanceof Health.Ready ? previous : new Health.Ready(machine.now());
    }

    @Override
    public Health listens(Component component, Health previous) {
        Role role = component == Component.SCHEDULER ? Role.SCHEDULER : Role.CONTROLLER_MANAGER;
        boolean listens = machine.kubelet().runs().stream()
                .flatMap(run -> run.program.stream())
                .anyMatch(program -> program.role == role && program.isStatic && program.listens(machine.now()));
        if (!listens) {
            return new Health.NotListening();
        }
        return previous instanceof Health.Ready ? previous : new Health.Ready(machine.now());
    }

    @Override
    public Proof examine(Server server, Optional<Proof> before) {
        if (!isReady(server)) {
            return new Proof.Failed("connect", "refused, or not ready");
        }
        if (running(server).orElseThrow().behaviour == Behaviour.CANNOT_READ_SECRETS) {
            return new Proof.Failed("list of Secrets", "500 Internal Server Error no matching key");
        }
        return before.filter(Proof.Passed.class::isInstance).orElseGet(() -> new Proof.Passed(machine.now()));
    }
}
