package dev.ouroboros.upgrade.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RoleMoveTest {
    private static final String OLD = "node-role.kubernetes.io/master";
    private static final String NEW = "node-role.kubernetes.io/control-plane";

    private static Json workload(String... labels) {
        Json.Fields selector = Json.object();
        for (String label : labels) {
            selector = selector.with(label, Json.text(""));
        }
        Json.Fields pod = Json.object().with("nodeSelector", selector);
        return Json.object()
                .with("spec", Json.object().with("template", Json.object().with("spec", pod)));
    }

    @Test
    void theNodesOfTheOldRoleNeedTheNewOne() {
        assertThat(RoleMove.between(workload(OLD, "disk"), workload(NEW, "disk")))
                .contains(new RoleMove(Set.of(OLD), Set.of(NEW)));
    }

    @Test
    void whoAsksForTheSameRoleOrForNoneMovesNowhere() {
        assertThat(RoleMove.between(workload(OLD), workload(OLD))).isEmpty();
        assertThat(RoleMove.between(workload(OLD, NEW), workload(NEW))).isEmpty();
        assertThat(RoleMove.between(workload(), workload(NEW))).isEmpty();
        assertThat(RoleMove.between(Json.absent(), workload(NEW))).isEmpty();
    }

    /** What other labels mean, only people know: nobody gets one because a template asks for it. */
    @Test
    void otherLabelsAreNoRoles() {
        assertThat(RoleMove.between(workload("disk"), workload("fast"))).isEqualTo(Optional.empty());
        assertThat(RoleMove.between(workload(OLD), workload(OLD, "fast"))).isEmpty();
    }
}
