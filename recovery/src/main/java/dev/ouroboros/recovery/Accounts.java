package dev.ouroboros.recovery;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The ServiceAccounts that the control plane runs under, and what they may do: bootkube's control plane has some, ours none. */
final class Accounts {
    private final ObjectSource source;

    Accounts(ObjectSource source) {
        this.source = source;
    }

    private record Account(String namespace, String name) {
        static Account of(Json subjectOrMetadata) {
            return new Account(
                    subjectOrMetadata.at("namespace").text().orElse(""),
                    subjectOrMetadata.at("name").text().orElse(""));
        }
    }

    List<Json.Fields> of(List<RecoveredWorkload> workloads) {
        Set<Account> accounts = new HashSet<>();
        for (RecoveredWorkload workload : workloads) {
            workload.serviceAccount().ifPresent(name -> accounts.add(new Account(workload.namespace(), name)));
        }
        if (accounts.isEmpty()) {
            return List.of();
        }
        List<Json.Fields> bindings = source.list(
                EnumSet.of(Resource.CLUSTER_ROLE_BINDINGS, Resource.ROLE_BINDINGS),
                binding -> binding.at("subjects").items().stream()
                        .anyMatch(subject -> subject.at("kind").equals(Json.text("ServiceAccount"))
                                && accounts.contains(Account.of(subject))));
        Set<String> roles = new HashSet<>();
        bindings.forEach(binding -> roles.add(role(
                binding.at("roleRef"),
                binding.at("metadata", "namespace").text().orElse(""))));
        List<Json.Fields> all = new ArrayList<>(source.list(
                EnumSet.of(Resource.SERVICE_ACCOUNTS),
                account -> accounts.contains(Account.of(account.at("metadata")))));
        all.addAll(source.list(
                EnumSet.of(Resource.CLUSTER_ROLES),
                role -> !isDefault(role)
                        && roles.contains("ClusterRole/"
                                + role.at("metadata", "name").text().orElse(""))));
        all.addAll(source.list(
                EnumSet.of(Resource.ROLES),
                role -> !isDefault(role)
                        && roles.contains("Role/"
                                + role.at("metadata", "namespace").text().orElse("") + "/"
                                + role.at("metadata", "name").text().orElse(""))));
        all.addAll(bindings);
        return all;
    }

    /** Every API server makes these itself. */
    private static boolean isDefault(Json role) {
        return role.at("metadata", "labels", "kubernetes.io/bootstrapping").equals(Json.text("rbac-defaults"));
    }

    private static String role(Json reference, String namespace) {
        String name = reference.at("name").text().orElse("");
        return reference.at("kind").equals(Json.text("ClusterRole"))
                ? "ClusterRole/" + name
                : "Role/" + namespace + "/" + name;
    }
}
