package dev.ouroboros.render.manifest;

import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import java.util.List;

/** What lets a kubelet join with a bootstrap token: the token, and the rights of a client that has it. */
public final class Joining {
    private Joining() {}

    public static List<Asset> assets(BootstrapToken token) {
        Yaml yaml = new Yaml();
        return List.of(
                Asset.secret(AssetLayout.BOOTSTRAP_TOKEN, yaml.text(Access.bootstrapToken(token))),
                Asset.open(AssetLayout.BOOTSTRAP_BINDING, yaml.text(Access.bootstrapBinding())),
                Asset.open(AssetLayout.APPROVER_BINDING, yaml.text(Access.approverBinding())),
                Asset.open(AssetLayout.RENEWAL_BINDING, yaml.text(Access.renewalBinding())));
    }
}
