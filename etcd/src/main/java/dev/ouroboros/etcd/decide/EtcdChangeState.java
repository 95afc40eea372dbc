package dev.ouroboros.etcd.decide;

import java.time.Instant;
import java.util.Optional;

/**
 * What a change of etcd remembers from step to step.
 *
 * @param since when the phase began
 * @param formerPod UID of the pod that ran before the new manifest was written; empty until then
 * @param failure why the change was given up; empty as long as it was not
 */
public record EtcdChangeState(
        EtcdChangePhase phase, Instant since, Optional<String> formerPod, Optional<String> failure) {

    public static EtcdChangeState initial(Instant now) {
        return new EtcdChangeState(EtcdChangePhase.GROWING, now, Optional.empty(), Optional.empty());
    }

    /** In another phase from now on. */
    EtcdChangeState moveTo(EtcdChangePhase next, Instant now) {
        return new EtcdChangeState(next, now, formerPod, failure);
    }

    EtcdChangeState switching(String pod, Instant now) {
        return new EtcdChangeState(EtcdChangePhase.SWITCHING, now, Optional.of(pod), failure);
    }

    /** On the way back. */
    EtcdChangeState givingUp(EtcdChangePhase next, String why, Instant now) {
        return new EtcdChangeState(next, now, formerPod, Optional.of(why));
    }

    /** The deadline counts anew from now: nobody worked on it meanwhile. */
    public EtcdChangeState resumed(Instant now) {
        return new EtcdChangeState(phase, now, formerPod, failure);
    }
}
