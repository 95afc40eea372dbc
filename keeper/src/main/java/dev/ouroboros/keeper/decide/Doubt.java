package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.evidence.Evidence.Known;
import java.util.Optional;

/**
 * Evidence against an API server's principal that reports ready. A change asks its candidate every question ({@link Proof}) before
 * anything is touched; but a pod that was lost, or deleted by people, is recreated from the template of that moment, which nobody
 * has tested. {@code /readyz} does not detect a wrong encryption key.
 *
 * <pre>
 * the principal                     the understudy        doubt
 * is what an understudy would be    -                     none: it has served for long, or nothing is better
 * made from, or no checkpoint is kept
 * answers every question, or
 * was not asked                     -                     none
 * does not answer one               answers every one     alone: the principal does not serve
 * does not answer one               is ready and does     shared: last-good fails too, which says nothing of the principal; but
 *                                   not answer one        the understudy stays until the principal's revision is last-good
 * does not answer one               is a candidate that   as if the understudy were not ready: its failure says nothing of last-good
 *                                   never proved itself
 * the same, and its pod is known    is not ready          alone
 * the same, and no pod is known     is not ready          none: while the API tells nothing, nothing is begun
 * </pre>
 *
 * @param question that was not answered, and what came instead; empty for none
 */
record Doubt(Kind kind, String question) {
    static final Doubt NONE = new Doubt(Kind.NONE, "");

    enum Kind {
        NONE,
        SHARED,
        ALONE
    }

    /** @param understudyIsReady as {@link Judged#understudyIsReady}: the present one answers */
    static Doubt of(ComponentSeen seen, ChangeSeen asked, boolean understudyIsReady) {
        if (!seen.isUnproven() || !asked.principal().is(Proof.Failed.class::isInstance)) {
            return NONE;
        }
        String question = Explain.proof(asked.principal());
        if (understudyIsReady && asked.understudy().is(Proof.Failed.class::isInstance) && !isCandidate(seen, asked)) {
            return new Doubt(Kind.SHARED, question);
        }
        boolean better = understudyIsReady && asked.understudy().is(Proof.Passed.class::isInstance);
        return better || seen.isKnownToLive() ? new Doubt(Kind.ALONE, question) : NONE;
    }

    /** Whether the understudy is known to be of a candidate that did not prove itself, with a last-good beside it. */
    private static boolean isCandidate(ComponentSeen seen, ChangeSeen asked) {
        return seen.manifest() instanceof Known<StaticManifest>(StaticManifest.Ours(Revision revision))
                && seen.slots()
                        .is(slots -> slots.lastGood().isPresent()
                                && slots.candidate().equals(Optional.of(revision)))
                && asked.record().is(record -> !record.isProven(revision));
    }

    boolean isAlone() {
        return kind == Kind.ALONE;
    }

    boolean isShared() {
        return kind == Kind.SHARED;
    }
}
