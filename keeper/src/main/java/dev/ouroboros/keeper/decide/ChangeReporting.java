package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.ReportChange;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen.Free;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen.Mine;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen.OfAnother;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen.Withheld;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.evidence.Evidence;
import java.util.Optional;

/** What this node's keeper tells people of a change, in annotations that the keepers of all nodes share, and whether it is its turn to speak. */
final class ChangeReporting {
    private final Plan plan;
    private final ChangeFacts facts;
    private final ChangeMemory before;

    ChangeReporting(Plan plan, ChangeFacts facts, ChangeMemory before) {
        this.plan = plan;
        this.facts = facts;
        this.before = before;
    }

    /** At rest ({@link ChangeStep#NONE}) nothing is reported: a DaemonSet that was never changed has no annotation of ours. */
    void report(ChangeStatus status) {
        if (status.step() == ChangeStep.NONE) {
            return;
        }
        Optional<Revision> about = status.step() == ChangeStep.ROLLED_BACK
                ? facts.target().reported().flatMap(ChangeReport::revision)
                : status.revision();
        boolean isLast = !status.step().isOver() || !facts.target().others().outdated();
        ChangeReport report = isLast
                ? ChangeReport.of(status.step(), about, status.message())
                : ChangeReport.of(ChangeStep.WAITING, about, "for the other nodes, one after the other");
        if (!facts.target().reported().equals(Optional.of(report)) && mayReport(status.step(), about)) {
            plan.add(
                    new ReportChange(
                            facts.server().name(), report, facts.target().retry()),
                    Reason.CHANGE_MOVED_ON,
                    status.step().description());
        }
    }

    /**
     * Of several nodes one speaks, else each would write what it waits for over what the others do: who changes its server; before and after that, who spoke last,
     * or who has to tell that people must do something. That the change is over says who is the last.
     */
    private boolean mayReport(ChangeStep step, Optional<Revision> about) {
        Optional<ChangeReport> reported = facts.target().reported();
        if (reported.isEmpty() || facts.seen().lease().is(lease -> lease instanceof Mine)) {
            return true;
        }
        boolean isOurs = !facts.target().others().reported();
        if (facts.seen().lease() instanceof Evidence.Known<LeaseSeen>(OfAnother(String holder))) {
            // Who holds the Lease may have lost its label since, and changes on.
            return isOurs
                    && step == ChangeStep.WAITING
                    && !facts.target().others().reporter().equals(holder);
        }
        if (isOurs) {
            return true;
        }
        if (reported.get().isOver()) {
            return !step.isOver();
        }
        if (step.isOver()) {
            // Its node was lost for good, or it would have said so: it may wait for a deadline itself, so twice that is
            // waited for.
            return othersOweTheEnd()
                    && before.status().step() == step
                    && facts.moment()
                            .lasted(
                                    before.troubleSince(),
                                    before.boots()
                                            .deadline(facts.moment().settings())
                                            .multipliedBy(2));
        }
        // Nodes that have not read the same yet make different revisions.
        boolean isNews = reported.get().says(ChangeStep.WAITING)
                && (step == ChangeStep.PAUSED || step == ChangeStep.REFUSED || step == ChangeStep.FAILED);
        return isNews && reported.get().revision().equals(about);
    }

    /** Whether all nodes have changed, nobody is at it any more, and the one whose keeper has to say so has not. */
    boolean othersOweTheEnd() {
        ChangeSeen.Others others = facts.target().others();
        return others.reported()
                && !others.outdated()
                && facts.target().reported().filter(ChangeReport::isUnderWay).isPresent()
                && facts.seen().lease().is(lease -> lease instanceof Free || lease instanceof Withheld);
    }
}
