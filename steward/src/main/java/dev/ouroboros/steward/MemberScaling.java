package dev.ouroboros.steward;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.NodeLease;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.steward.decide.ControlPlane;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Scaling;
import dev.ouroboros.steward.decide.EtcdScale;
import dev.ouroboros.steward.decide.EtcdScale.Step;
import dev.ouroboros.steward.decide.ScaleReport;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has etcd as many members as are wished: decides, as the one of the nodes with a member that has the Lease, and does for its own node what the status says that the one that leads decided.
 */
final class MemberScaling {
    /** Of kube-system. */
    static final String LEASE = "ouroboros-steward";

    private static final Logger LOG = LoggerFactory.getLogger(MemberScaling.class);

    private final String node;
    private final Api api;
    private final EtcdWork work;
    private final NodeLease lease;
    private final Supplier<EtcdCluster> members;
    private final EtcdJobs leading;
    private final EtcdJobs own;

    MemberScaling(
            String node,
            Api api,
            EtcdWork work,
            NodeLease lease,
            Supplier<EtcdCluster> members,
            EtcdJobs leading,
            EtcdJobs own) {
        this.node = node;
        this.api = api;
        this.work = work;
        this.lease = lease;
        this.members = members;
        this.leading = leading;
        this.own = own;
    }

    /** Does what is to be done here; empty unless this node leads. */
    Optional<Scaling> turn(ControlPlane object, ClusterSource.Seen now) {
        ofThisNode(object);
        try {
            if (!leads()) {
                return Optional.empty();
            }
            List<EtcdScale.Member> etcd = seen(members.get());
            OptionalInt size = object.etcdSize();
            if (size.isEmpty()) {
                adopt(object, etcd);
                return Optional.empty();
            }
            Step step = EtcdScale.next(new EtcdScale.Seen(
                    size.getAsInt(),
                    etcd,
                    now.ready(),
                    now.etcdServers(),
                    now.isRolledOut(),
                    ScaleReport.of(object)
                            .filter(report -> report.step().equals(ScaleReport.ADD))
                            .map(ScaleReport::node)));
            return Optional.of(new Scaling(lead(step)));
        } catch (ApiException e) {
            LOG.info("component=steward event=lease-unknown reason=\"{}\"", e.getMessage());
        } catch (ProblemException e) {
            LOG.warn("component=steward event=members-unknown reason=\"{}\"", Steward.describe(e));
        }
        return Optional.empty();
    }

    /** Nobody has said how many there are to be: as many as there are, so that {@code kubectl scale} has a number to change. */
    private void adopt(ControlPlane object, List<EtcdScale.Member> etcd) throws ApiException {
        long voters = etcd.stream().filter(member -> !member.isLearner()).count();
        if (ControlPlane.SIZES.contains(voters)) {
            api.patch(
                    ClusterSource.OBJECT,
                    Api.PatchType.MERGE,
                    Json.object()
                            .with(
                                    "metadata",
                                    Json.object()
                                            .with(
                                                    "resourceVersion",
                                                    object.object().at("metadata", "resourceVersion")))
                            .with(
                                    "spec",
                                    Json.object().with("etcd", Json.object().with("size", Json.number(voters)))));
            LOG.info("component=steward event=size-adopted size={}", voters);
        }
    }

    /** What was decided on a wish of before is not begun any more. */
    private void ofThisNode(ControlPlane object) {
        Optional<ScaleReport> decided = object.isObserved() ? ScaleReport.of(object) : Optional.empty();
        decided.filter(report -> report.node().equals(node)).ifPresent(report -> {
            switch (report.step()) {
                case ScaleReport.ADD -> own.ensure(new EtcdJob.Join());
                case ScaleReport.LEAVE -> own.ensure(new EtcdJob.Leave());
                default -> {
                    // It is about nothing that a node does.
                }
            }
        });
    }

    /** Only from the node of a member can another one be added; who loses its own gives the Lease up. */
    private boolean leads() throws ApiException {
        if (!work.hasMember()) {
            lease.release();
            return false;
        }
        return switch (lease.look()) {
            case NodeLease.Seen.OfAnother _ -> false;
            case NodeLease.Seen.Free() -> {
                lease.hold();
                LOG.info("component=steward event=leads");
                yield true;
            }
            case NodeLease.Seen.Mine(boolean renewalDue) -> {
                if (renewalDue) {
                    lease.hold();
                }
                yield true;
            }
        };
    }

    private static List<EtcdScale.Member> seen(EtcdCluster etcd) {
        return etcd.members().stream()
                .map(member -> new EtcdScale.Member(
                        member.name(),
                        member.isLearner(),
                        etcd.statusOf(member) instanceof Known<EtcdMemberStatus>,
                        member.clientUrls()))
                .toList();
    }

    private Optional<ScaleReport> lead(Step step) {
        if (step instanceof Step.Add && !work.hasAuthority()) {
            return Optional.of(new ScaleReport(
                    "",
                    "",
                    true,
                    "NoAuthority",
                    "etcd's authority is the owner's: add members with 'ouro etcd join' and 'ouro etcd add'"));
        }
        switch (step) {
            case Step.Add(String other) -> leading.ensure(new EtcdJob.Add(other));
            case Step.TellApiServers(List<String> without) -> leading.ensure(new EtcdJob.TellApiServers(without));
            case Step.Leave _, Step.Settled _, Step.Stalled _ -> {
                // The node's own steward does it, or there is nothing to do.
            }
        }
        return step instanceof Step.Leave
                ? ScaleReport.of(step, Optional.empty(), Optional.empty())
                : ScaleReport.of(
                        step,
                        leading.progress().isPresent() ? Optional.empty() : leading.failure(),
                        leading.progress());
    }
}
