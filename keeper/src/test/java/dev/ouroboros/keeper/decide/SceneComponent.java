package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One component as a test wants it to be seen. It begins as one at rest: its pod serves and is saved. */
final class SceneComponent {
    static final Revision OLD = new Revision("01d00000");
    static final Revision NEW = new Revision("4e400000");
    static final String UID = "uid-1";

    final Role role;
    Evidence<List<PrincipalPod>> pods = Evidence.known(List.of(readyPod()));
    Evidence<Boolean> belongs = Evidence.known(true);
    Evidence<Boolean> switchedOff = Evidence.known(false);
    Evidence<Boolean> selected = Evidence.known(true);
    Evidence<Integer> elsewhere = Evidence.known(0);
    Evidence<Leading> leading = Evidence.unknown("not looked at");
    Evidence<Running> principalRuns = Evidence.known(Running.RUNNING);
    Evidence<Health> principal;
    Evidence<StaticManifest> manifest = Evidence.known(new Absent());
    Evidence<Running> understudyRuns = Evidence.known(Running.ABSENT);
    Evidence<Health> understudy = Evidence.known(new Health.NotListening());
    Evidence<Slots> slots = Evidence.known(new Slots(Optional.empty(), Optional.of(OLD)));
    Evidence<Boolean> outdated;
    Evidence<Material> material = Evidence.known(new Material.Complete(UID, OLD));

    SceneComponent(Role role) {
        this.role = role;
        boolean probed = role == Role.API_SERVER;
        principal = probed ? Evidence.known(new Health.Ready(Instant.EPOCH)) : Evidence.unknown("not probed");
        outdated = probed ? Evidence.known(false) : Evidence.unknown("not versioned");
    }

    static PrincipalPod readyPod() {
        return new PrincipalPod(UID, "pod", true, false, 0, false);
    }

    static PrincipalPod bootedIn(Duration time) {
        return new PrincipalPod(UID, "pod", true, false, 0, false, Optional.of(time));
    }

    static PrincipalPod unreadyPod() {
        return new PrincipalPod(UID, "pod", false, false, 0, false);
    }

    static PrincipalPod leavingPod() {
        return new PrincipalPod(UID, "pod", true, true, 0, false);
    }

    static PrincipalPod failedPod() {
        return new PrincipalPod(UID, "pod", false, false, 0, true);
    }

    static PrincipalPod restartedPod(int restarts) {
        return new PrincipalPod(UID, "pod", true, false, restarts, false);
    }

    /** Nothing of it runs and nothing listens, as after a power loss. */
    SceneComponent dead() {
        principalRuns = Evidence.known(Running.ABSENT);
        return role == Role.API_SERVER ? principal(new Health.NotListening()) : this;
    }

    /** What comes through the API is unknown. */
    SceneComponent withoutApi() {
        pods = Evidence.unknown("no API");
        belongs = Evidence.unknown("no API");
        selected = Evidence.unknown("no API");
        switchedOff = Evidence.unknown("no API");
        elsewhere = Evidence.unknown("no API");
        material = Evidence.unknown("no API");
        return this;
    }

    SceneComponent pods(PrincipalPod... known) {
        pods = Evidence.known(List.of(known));
        return this;
    }

    SceneComponent belongs(boolean known) {
        belongs = Evidence.known(known);
        return this;
    }

    /** The node has lost the label that its pods ask for. */
    SceneComponent notSelected() {
        selected = Evidence.known(false);
        return this;
    }

    SceneComponent led(Leading known) {
        leading = Evidence.known(known);
        return this;
    }

    /** Counts of controllers say so. */
    SceneComponent readyElsewhere(int count) {
        elsewhere = Evidence.known(count);
        return this;
    }

    /** Somebody scaled it to zero, and its pods are gone. */
    SceneComponent switchedOff() {
        switchedOff = Evidence.known(true);
        return belongs(false).pods();
    }

    /** Somebody scaled it up again, and nobody has made or placed its pod. */
    SceneComponent wantedAgain() {
        switchedOff = Evidence.known(false);
        return belongs(true).pods();
    }

    SceneComponent principal(Health health) {
        principal = Evidence.known(health);
        return this;
    }

    SceneComponent understudy(Health health) {
        understudy = Evidence.known(health);
        return this;
    }

    SceneComponent manifest(StaticManifest there) {
        manifest = Evidence.known(there);
        return this;
    }

    /** An understudy of ours that runs and answers. */
    SceneComponent understudyServes() {
        understudyRuns = Evidence.known(Running.RUNNING);
        return manifest(new Ours(OLD)).understudy(new Health.Ready(Instant.EPOCH));
    }

    SceneComponent saved(Optional<Revision> candidate, Optional<Revision> lastGood) {
        slots = Evidence.known(new Slots(candidate, lastGood));
        return this;
    }

    SceneComponent made(Revision revision) {
        material = Evidence.known(new Material.Complete(UID, revision));
        return this;
    }

    ComponentSeen seen() {
        return new ComponentSeen(
                role,
                pods,
                belongs,
                selected,
                switchedOff,
                elsewhere,
                leading,
                principalRuns,
                principal,
                manifest,
                understudyRuns,
                understudy,
                slots,
                outdated,
                material);
    }
}
