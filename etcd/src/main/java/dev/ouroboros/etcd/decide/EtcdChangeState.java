package dev.ouroboros.etcd.decide;

import java.time.Instant;
import java.util.Optional;

/**
 * What a change of etcd remembers from step to step.
 *
 * @param alone whether the member that is changed is the only one, and gets temporary ones; else the others serve meanwhile
 * @param since when the phase began
 * @param steadySince since when what the phase waits for has been so without a break, as that every client has as many connections to the other door; empty when it is not
 * @param formerPod UID of the pod that ran before the new manifest was written; empty until then
 * @param failure why the change was given up; empty as long as it was not
 */
public record EtcdChangeState(
        EtcdChangePhase phase,
        boolean alone,
        Instant since,
        Optional<Instant> steadySince,
        Optional<String> formerPod,
        Optional<String> failure) {

    /** @param alone whether the member has no others */
    public static EtcdChangeState initial(boolean alone, Instant now) {
        return new EtcdChangeState(
                alone ? EtcdChangePhase.GROWING : EtcdChangePhase.CROSSING,
                alone,
                now,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** In another phase from now on. */
    EtcdChangeState moveTo(EtcdChangePhase next, Instant now) {
        return new EtcdChangeState(next, alone, now, Optional.empty(), formerPod, failure);
    }

    EtcdChangeState switching(String pod, Instant now) {
        return new EtcdChangeState(EtcdChangePhase.SWITCHING, alone, now, Optional.empty(), Optional.of(pod), failure);
    }

    /** On the way back. */
    EtcdChangeState givingUp(EtcdChangePhase next, String why, Instant now) {
        return new EtcdChangeState(next, alone, now, Optional.empty(), formerPod, Optional.of(why));
    }

    EtcdChangeState withSteadySince(Optional<Instant> moment) {
        return new EtcdChangeState(phase, alone, since, moment, formerPod, failure);
    }

    /** The deadline counts anew from now: nobody worked on it meanwhile. */
    public EtcdChangeState resumed(Instant now) {
        return new EtcdChangeState(phase, alone, now, Optional.empty(), formerPod, failure);
    }
}
