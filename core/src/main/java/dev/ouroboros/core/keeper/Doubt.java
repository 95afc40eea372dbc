package dev.ouroboros.core.keeper;

import dev.ouroboros.core.evidence.Evidence.Known;
import java.util.Optional;

/**
 * What speaks against an API server's principal that says it is ready. A change asks its candidate every question before anything
 * is touched; but a pod that was lost, or deleted by people, is made from whatever the template is by then, and nobody asked that.
 * {@code /readyz} knows nothing of a wrong encryption key.
 *
 * <pre>
 * the principal                     the understudy        doubt
 * is what an understudy would be    -                     none: it has served for long, or nothing is better
 * made from, or nothing is kept
 * answers every question, or
 * was not asked                     -                     none
 * does not answer one               answers every one     alone: it does not serve
 * does not answer one               is ready and does     shared: a question that last-good does not answer either says nothing of
 *                                   not answer one        the new one; but the understudy stays until this one is last-good
 * does not answer one               is a candidate that   as if it were not ready: what never answered says nothing of last-good
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

    /** @param understudyIsReady whether what is in the understudy's place answers */
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
