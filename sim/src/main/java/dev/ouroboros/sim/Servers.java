package dev.ouroboros.sim;

import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.keeper.observe.LocalServers;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.front.ServerAddress;
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
        Optional<Program> program = machine.etcdAnswers() ? running(server) : Optional.empty();
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

    /** A server of some machine. */
    record Reached(Machine machine, Server server) {
        Program program() {
            return machine.servers().running(server).orElseThrow();
        }

        Optional<Program> ready() {
            return machine.servers().ready(server);
        }
    }

    /** The server that gets a new connection of this node's clients. */
    Optional<Reached> reached() {
        if (!machine.cluster().hasSeveral()) {
            return routed().map(server -> new Reached(machine, server));
        }
        return door().flatMap(dialled -> machine.balancer().lead(BalancerModel.serverOf(dialled)))
                .flatMap(this::at);
    }

    /** What this node's clients dial: its own server, also one that is about to leave; elsewhere that of a node that has one. */
    private Optional<Machine> door() {
        return hasServer(machine)
                ? Optional.of(machine)
                : machine.cluster().machines().stream()
                        .filter(Servers::hasServer)
                        .findFirst();
    }

    private static boolean hasServer(Machine machine) {
        return machine.keeper().isPresent() || machine.servers().routed().isPresent();
    }

    private Optional<Reached> at(ServerAddress led) {
        Machine there = machine.balancer().machineAt(led).orElseThrow();
        if (there == machine && led.port() == Component.API_SERVER.understudyPort()) {
            return listens(Server.UNDERSTUDY) ? Optional.of(new Reached(machine, Server.UNDERSTUDY)) : Optional.empty();
        }
        return machine.cluster().network().reaches(machine, there)
                ? there.servers().routed().map(server -> new Reached(there, server))
                : Optional.empty();
    }

    /** Whether a client of this node that dials the API now is served. */
    boolean answers() {
        return reached().flatMap(Reached::ready).isPresent();
    }

    /** What the server behind this node's front says to whoever comes from another node. */
    Health answerAtFront(Health previous) {
        return routed().map(server -> probe(server, previous)).orElseGet(Health.NotListening::new);
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
        if (!machine.etcdAnswers()) {
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
