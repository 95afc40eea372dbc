package dev.ouroboros.keeper.act;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.Api.PatchType;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.EventRecorder.About;
import dev.ouroboros.api.EventRecorder.Said;
import dev.ouroboros.keeper.api.ChangeLease;
import dev.ouroboros.keeper.checkpoint.ChangeFile;
import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.ChangeRecord.Failure;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.observe.Observer;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.kubelet.PodLogs;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How the actions of a change are done. All may be done again at any time, in any state. */
public final class ChangeActions {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeActions.class);
    private static final String MANAGER = Component.KEEPER.id();
    private static final String APPS = "apps/v1";
    private static final int LOG_LINES = 5;
    private static final int LONGEST_MESSAGE = 900;

    private final String nodeName;
    private final Observer observer;
    private final Tools tools;
    private final InstantSource wallClock;

    /** What they are done with. */
    public record Tools(
            Api client, ClusterGuard guard, ChangeLease lease, ChangeFile file, PodLogs logs, EventRecorder events) {}

    /** @param wallClock for the times that people read */
    public ChangeActions(String nodeName, Observer observer, Tools tools, InstantSource wallClock) {
        this.nodeName = nodeName;
        this.observer = observer;
        this.tools = tools;
        this.wallClock = wallClock;
    }

    void hold() throws ApiException {
        tools.lease().hold();
    }

    void release() throws ApiException {
        tools.lease().release();
    }

    void recordProven(Action.RecordProven action) {
        tools.file().recordProven(action.proven());
    }

    /** Records a failure with the container's last log lines: when the manifest is gone, so are its logs. */
    void recordFailure(ComponentName component, Failure failure, Reason reason) {
        String lines = reason == Reason.CANDIDATE_FAILED
                ? observer.change()
                        .understudyUid(component)
                        .map(uid -> lastLines(
                                component, Understudy.podName(component, Role.API_SERVER) + "-" + nodeName, uid))
                        .orElse("")
                : observer.youngestPod(component)
                        .map(pod -> lastLines(component, pod.name(), pod.uid()))
                        .orElse("");
        String message = lines.isBlank() ? failure.message() : failure.message() + "; its last lines: " + lines;
        tools.file().recordFailure(new Failure(failure.revision(), failure.retry(), cut(message)));
    }

    private String lastLines(ComponentName component, String pod, String uid) {
        return tools.logs().tailOf(component.namespace(), pod, uid, component.name(), LOG_LINES);
    }

    /** Keeps the end: there a server says what it died of. */
    private static String cut(String message) {
        int head = LONGEST_MESSAGE / 3;
        return message.length() <= LONGEST_MESSAGE
                ? message
                : message.substring(0, head) + " ... " + message.substring(message.length() - (LONGEST_MESSAGE - head));
    }

    void replacePrincipal(ComponentName component, String uid, String name) throws ApiException {
        tools.guard().require();
        try {
            tools.client().delete(ApiPath.core(component.namespace(), "pods").named(name), uid, Api.Grace.ITS_OWN);
        } catch (ApiException e) {
            // The pod is gone, or another has its name: either way the pod to replace is not there any more.
            if (e.kind() != Kind.NOT_FOUND && e.kind() != Kind.CONFLICT) {
                throw e;
            }
            LOG.debug("replaced by somebody else: {}", e.getMessage());
        }
    }

    /** Reverts only the template that failed: what people have written since is theirs. */
    void revert(ComponentName component, Revision failed, String previous) throws ApiException {
        tools.guard().require();
        ApiPath path = ApiPath.of(APPS, component.namespace(), "daemonsets").named(component.name());
        Json now = tools.client().get(path);
        if (!observer.change().templateMakes(now, failed)) {
            return;
        }
        Json before = tools.client()
                .get(ApiPath.of(APPS, component.namespace(), "controllerrevisions")
                        .named(component.name() + "-" + previous));
        if (!(before.at("data") instanceof Json.Fields patch)) {
            throw new ApiException(Kind.GARBAGE, component.name() + "-" + previous + ": holds no template");
        }
        Json.Fields metadata = Json.object().with("resourceVersion", now.at("metadata", "resourceVersion"));
        tools.client().patch(path, PatchType.STRATEGIC, patch.with("metadata", metadata));
    }

    void report(Action.ReportChange action) throws ApiException {
        ComponentName component = action.component();
        ChangeReport report = action.report();
        tools.guard().require();
        Optional<ChangeReport> before = observer.change().reported();
        String since = before.filter(said ->
                        said.step().equals(report.step()) && said.revision().equals(report.revision()))
                .flatMap(_ -> observer.change().reportedSince())
                .orElseGet(() ->
                        wallClock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        Json.Fields annotations = Json.object()
                .with(ChangeReport.STATE_ANNOTATION, Json.text(report.step()))
                .with(
                        ChangeReport.REVISION_ANNOTATION,
                        Json.text(report.revision().map(Revision::digest).orElse("")))
                .with(ChangeReport.MESSAGE_ANNOTATION, Json.text(report.message()))
                .with(ChangeReport.NODE_ANNOTATION, Json.text(nodeName))
                .with(ChangeReport.TRIED_ANNOTATION, Json.text(action.retry()))
                .with(ChangeReport.SINCE_ANNOTATION, Json.text(since));
        Json.Fields apply = Json.object()
                .with("apiVersion", Json.text(APPS))
                .with("kind", Json.text("DaemonSet"))
                .with(
                        "metadata",
                        Json.object().with("name", Json.text(component.name())).with("annotations", annotations));
        ApiPath path = ApiPath.of(APPS, component.namespace(), "daemonsets").named(component.name());
        Json set =
                tools.client().patch(path.with("fieldManager", MANAGER).with("force", "true"), PatchType.APPLY, apply);
        boolean warning =
                Arrays.stream(ChangeStep.values()).filter(ChangeStep::isBad).anyMatch(report::says);
        About about = new About(
                "DaemonSet",
                APPS,
                component.namespace(),
                component.name(),
                set.at("metadata", "uid").text().orElse(""));
        String revision = report.revision()
                .map(known -> "revision " + known.digest().substring(0, 12) + ": ")
                .orElse("");
        tools.events().say(new Said(about, warning, "Change" + report.step(), revision + report.message()));
    }
}
