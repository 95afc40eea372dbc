package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One component of a {@link ModelMachine}: its controller and pod in etcd, its processes, and its files. */
final class ModelMember {
    static final Revision GOOD = new Revision("600d0000");
    static final Revision BETTER = new Revision("be77e400");
    static final Revision BEST = new Revision("be570000");
    static final Revision BAD = new Revision("bad00000");
    /** Its understudy is well, its principal ends as BAD does. */
    static final Revision SLY = new Revision("51e00000");

    private static final int LISTENS = 2;
    private static final int READY = 4;
    /** A bad revision ends after it was ready for a while, longer than the debounce and shorter than the soak time. */
    private static final int CRASHES = 11;

    private static final int LIVENESS = 8;
    private static final int GRACE = 3;

    final ComponentName name;
    final Role role;
    /** Whether pods differ from their templates: 1.20 adds an annotation for seccomp. */
    boolean admissionAdds;

    Revision template = GOOD;
    /** How many pods people want; those of a DaemonSet cannot be scaled. */
    int replicas = 1;

    Optional<Pod> pod = Optional.empty();
    final Program principal = new Program();
    final Program understudy = new Program();
    StaticManifest manifest = new Absent();
    Slots slots = new Slots(Optional.empty(), Optional.of(GOOD));

    ModelMember(ComponentName name, Role role) {
        this.name = name;
        this.role = role;
    }

    /** What a checkpoint of a pod of a template is called. */
    Revision saved(Revision made) {
        return admissionAdds ? new Revision("ad" + made.digest()) : made;
    }

    /** A pod as etcd has it. */
    static final class Pod {
        final String uid;
        final Revision revision;
        boolean bound;
        boolean failed;
        boolean reportedReady;
        int restarts;
        int terminatingFor = -1;

        Pod(String uid, Revision revision) {
            this.uid = uid;
            this.revision = revision;
        }

        boolean isTerminating() {
            return terminatingFor >= 0;
        }
    }

    /** A process by its age in ticks; hung ones answer nothing. */
    static final class Program {
        int age = -1;
        int hungFor = -1;
        /** How often it ended by itself in this pod. */
        int ends;

        Optional<Instant> readySince = Optional.empty();

        void end() {
            age = -1;
            hungFor = -1;
            readySince = Optional.empty();
        }

        boolean isHung() {
            return hungFor >= 0;
        }
    }

    boolean isReady(Program process, boolean etcd) {
        return process.age >= READY && !process.isHung() && (etcd || role != Role.API_SERVER);
    }

    boolean listens(Program process) {
        return process.age >= LISTENS;
    }

    /** The kubelet runs what lies in its directory, always. */
    void tickStatic(boolean etcd, Instant now) {
        boolean there = manifest instanceof Ours || manifest instanceof OfStart;
        boolean crashes =
                manifest instanceof Ours(Revision revision) && (revision.equals(BAD) || revision.equals(saved(BAD)));
        tick(understudy, there, crashes, etcd, now);
    }

    /** The kubelet runs a pod that it knows of; returns whether its container ended by itself. */
    void tickPod(boolean etcd, Instant now, boolean apiAnswers) {
        boolean runs = pod.isPresent() && pod.get().bound && !pod.get().failed && pod.get().terminatingFor < GRACE;
        boolean crashes = pod.isPresent()
                && (pod.get().revision.equals(BAD) || pod.get().revision.equals(SLY));
        if (tick(principal, runs, crashes, etcd, now)) {
            pod.get().restarts++;
        }
        if (pod.isPresent() && pod.get().isTerminating()) {
            pod.get().terminatingFor++;
            if (pod.get().terminatingFor > GRACE && apiAnswers) {
                pod = Optional.empty();
            }
        }
    }

    private boolean tick(Program process, boolean runs, boolean crashes, boolean etcd, Instant now) {
        boolean dies = process.hungFor >= LIVENESS || (crashes && process.age >= CRASHES);
        if (!runs || dies) {
            process.ends = runs && process.age >= 0 ? process.ends + 1 : runs ? process.ends : 0;
            process.end();
            return runs;
        }
        process.age++;
        process.hungFor += process.isHung() ? 1 : 0;
        process.readySince = isReady(process, etcd) ? Optional.of(process.readySince.orElse(now)) : Optional.empty();
        return false;
    }

    Health health(Program process, boolean etcd, Instant now) {
        if (!listens(process)) {
            return new Health.NotListening();
        }
        if (process.isHung()) {
            return new Health.NotReady("no answer", Optional.of(now.minusSeconds(process.hungFor)));
        }
        return etcd
                ? process.readySince
                        .<Health>map(Health.Ready::new)
                        .orElseGet(() -> new Health.NotReady("[-]poststarthook/rbac failed"))
                : new Health.NotReady("[-]etcd failed: reason withheld");
    }

    Running running(Program process, boolean known) {
        return process.age > 0 ? Running.RUNNING : known ? Running.STOPPED : Running.ABSENT;
    }

    List<PrincipalPod> podsHere() {
        return pod.filter(here -> here.bound).stream()
                .map(here -> new PrincipalPod(
                        here.uid, "pod", here.reportedReady, here.isTerminating(), here.restarts, here.failed))
                .toList();
    }

    Evidence<Material> material() {
        return pod.filter(here -> here.bound && !here.failed && !here.isTerminating())
                .map(here -> Evidence.<Material>known(new Material.Complete(here.uid, saved(here.revision))))
                .orElseGet(() -> Evidence.unknown("no living pod"));
    }

    @Override
    public String toString() {
        return role + "[principal " + principal.age + ", understudy " + understudy.age + ", " + manifest + ", " + slots
                + ", pod "
                + pod.map(here -> here.revision
                                + (here.failed ? " failed" : "")
                                + (here.bound ? "" : " unbound")
                                + (here.isTerminating() ? " terminating" : ""))
                        .orElse("none")
                + "]";
    }
}
