package dev.ouroboros.model.asset;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateLayoutTest {
    @Test
    void whatAClusterLeavesIsEveryNameButTheHostsRecordAndTheBackups() throws IllegalAccessException {
        List<String> names = new ArrayList<>();
        for (Field field : StateLayout.class.getDeclaredFields()) {
            if (field.getType() == String.class) {
                names.add(String.valueOf(field.get(null)));
            }
        }
        names.removeAll(
                List.of(StateLayout.DIRECTORY, StateLayout.HOST, StateLayout.BACKUPS, StateLayout.BACKUPS_MIRROR));

        assertThat(StateLayout.OF_CLUSTER).containsExactlyInAnyOrderElementsOf(names);
    }
}
