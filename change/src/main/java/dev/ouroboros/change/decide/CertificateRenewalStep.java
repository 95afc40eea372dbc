package dev.ouroboros.change.decide;

import dev.ouroboros.change.decide.Rollout.Ending;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What is to be done next so that each workload shows certificates that are good for long. One workload after the other gets another Secret; all certificates are of the authorities of before, so that it does not
 * matter who has which. A workload that does not come to rest, as the API server where a control-plane node is off or the keeper refuses its template, is left behind after a while: those of the others end all the same.
 */
public final class CertificateRenewalStep {
    /** A candidate has five minutes to prove itself. */
    static final Duration PATIENCE = Duration.ofMinutes(8);

    private static final String NAMESPACE = "kube-system/";

    private CertificateRenewalStep() {}

    /** What can be done. */
    public sealed interface Action {
        /** A workload gets its certificates issued again. */
        record Renew(CertificateHolder holder) implements Action {}

        /** A pod that Kubernetes does not replace because other nodes are away is evicted, so that it is made of the template. */
        record Replace(HeldRollout.Next next) implements Action {}

        /** The keeper is asked to try again what failed before this run. */
        record Retry(Json daemonSet) implements Action {}
    }

    /**
     * What a run remembers.
     *
     * @param replaced the certificates that it took the place of, by the workloads whose templates it wrote; what else has become of a template since is somebody else's
     * @param unsettled what each workload that has not come to rest was waited for when it was last seen
     * @param before how the last change of the API server had ended when this run began
     * @param asked whether the keeper was asked to try that again
     */
    public record State(
            Map<Component, Set<X509Certificate>> replaced,
            Map<Component, Unsettled> unsettled,
            Optional<Ending> before,
            boolean asked) {
        public State {
            replaced = Map.copyOf(replaced);
            unsettled = Map.copyOf(unsettled);
        }

        /** @param since when that was first seen */
        public record Unsettled(String why, Instant since) {}

        /** Of a run that begins. */
        public static State begin(Optional<Ending> before) {
            return new State(Map.of(), Map.of(), before, false);
        }

        public State having(Component component, Set<X509Certificate> former) {
            Map<Component, Set<X509Certificate>> all = new HashMap<>(replaced);
            all.put(component, Set.copyOf(former));
            return new State(all, unsettled, before, asked);
        }

        public State havingAsked() {
            return new State(replaced, unsettled, before, true);
        }

        private State seeing(List<CertificateHolder> holders, Instant now) {
            Map<Component, Unsettled> seen = new EnumMap<>(Component.class);
            holders.forEach(holder -> waitedFor(holder).ifPresent(why -> {
                Optional<Unsettled> known = Optional.ofNullable(unsettled.get(holder.component()))
                        .filter(last -> last.why().equals(why));
                seen.put(holder.component(), known.orElseGet(() -> new Unsettled(why, now)));
            }));
            return new State(replaced, seen, before, asked);
        }

        /** What a workload is to be waited for; how its last change ended says nothing while the keeper has not begun with what this run asked for. */
        private Optional<String> waitedFor(CertificateHolder holder) {
            return switch (holder.rollout()) {
                case Rollout.Settled() -> Optional.empty();
                case Rollout.Moving(String why) -> Optional.of(why);
                case Rollout.Stopped _ ->
                    isOld(holder) && (asked || replaced.containsKey(holder.component()))
                            ? Optional.of("the keeper to begin")
                            : Optional.empty();
            };
        }

        /** Whether a template has again what this run took the place of. The Secret says nothing of that: a rotation beside this run makes others of it, with the certificates that it has. */
        private boolean isTakenBack(CertificateHolder holder) {
            Set<X509Certificate> former = replaced.getOrDefault(holder.component(), Set.of());
            return holder.leaves().map(CertificateFiles.Leaf::certificate).anyMatch(former::contains);
        }

        private boolean isOld(CertificateHolder holder) {
            return holder.component() == Component.API_SERVER
                    && Rollout.ending(holder.workload()).equals(before);
        }

        private boolean isPatientWith(Component component, Instant now) {
            return Optional.ofNullable(unsettled.get(component))
                    .filter(last -> Duration.between(last.since(), now).compareTo(PATIENCE) >= 0)
                    .isEmpty();
        }
    }

    /**
     * The next step.
     *
     * @param holders in their order
     * @param isDue whether a workload's certificates are to be issued again
     * @param isUrgent whether that waits for nothing: what shows certificates that have ended does not come to rest
     * @throws ProblemException COMPONENT_FAILED when all is done that can be, and a workload does not take its own
     */
    public static NextStep<State, Action> next(
            List<CertificateHolder> holders,
            State before,
            Predicate<CertificateHolder> isDue,
            Predicate<CertificateHolder> isUrgent,
            Instant now) {
        State state = before.seeing(holders, now);
        Predicate<CertificateHolder> isWanted =
                holder -> !state.replaced().containsKey(holder.component()) && isDue.test(holder);
        Optional<CertificateHolder> urgent =
                holders.stream().filter(isWanted.and(isUrgent)).findFirst();
        if (urgent.isPresent()) {
            return renew(state, urgent.get());
        }
        List<String> moving = new ArrayList<>();
        List<Problem> failed = new ArrayList<>();
        for (CertificateHolder holder : holders) {
            Optional<String> awaited = state.waitedFor(holder).map(why -> name(holder) + ": " + why);
            if (awaited.isPresent()) {
                if (holder.held() instanceof HeldRollout.Next next) {
                    return isWanted.test(holder)
                            ? renew(state, holder)
                            : NextStep.act(state, (Action) new Action.Replace(next))
                                    .awaiting(awaited.get());
                }
                if (state.isPatientWith(holder.component(), now)) {
                    return NextStep.await(state, awaited.get());
                }
                moving.add(awaited.get());
                continue;
            }
            if (holder.rollout() instanceof Rollout.Stopped(String why)) {
                if (mayBeTriedAgain(holder, state)) {
                    return NextStep.act(state, (Action) new Action.Retry(holder.workload()))
                            .awaiting("the keeper to try the change again");
                }
                failed.add(failure(holder, why));
            } else if (isWanted.test(holder)) {
                return renew(state, holder);
            } else if (state.isTakenBack(holder)) {
                failed.add(failure(holder, "somebody, or the keeper, gave its template back: " + ending(holder)));
            }
        }
        if (!moving.isEmpty()) {
            return NextStep.await(state, String.join("; ", moving));
        }
        if (!failed.isEmpty()) {
            throw new ProblemException(failed);
        }
        return NextStep.end(state);
    }

    private static String ending(CertificateHolder holder) {
        return Rollout.ending(holder.workload())
                .map(ending -> ending.word() + " " + ending.why())
                .orElse("it says nothing of why");
    }

    private static NextStep<State, Action> renew(State state, CertificateHolder holder) {
        return NextStep.act(state, (Action) new Action.Renew(holder))
                .awaiting(name(holder) + " to have certificates that were issued again");
    }

    /** Of a template that has certificates of an earlier run. What somebody else asked for and failed is theirs to mend. */
    private static boolean mayBeTriedAgain(CertificateHolder holder, State state) {
        return state.isOld(holder)
                && !state.asked()
                && holder.secrets().stream()
                        .anyMatch(files -> files.secret().renews().isPresent())
                && state.before()
                        .filter(last -> last.isBad() && last.mayBeTriedAgain())
                        .isPresent();
    }

    private static Problem failure(CertificateHolder holder, String why) {
        return new Problem(
                ErrorCode.COMPONENT_FAILED,
                name(holder),
                "does not get certificates that were issued again: " + why,
                "",
                "nothing is lost: what ran before still runs, until its certificates end. Remove the reason, or take the change back with 'ouro change abort', and run 'ouro certificates renew'");
    }

    private static String name(CertificateHolder holder) {
        return NAMESPACE + holder.component().id();
    }
}
