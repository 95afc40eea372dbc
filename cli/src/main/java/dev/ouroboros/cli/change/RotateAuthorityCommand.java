package dev.ouroboros.cli.change;

import dev.ouroboros.change.KeyRotations;
import dev.ouroboros.change.RotationOutcome;
import dev.ouroboros.change.decide.FrontProxyRotation.Aim;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro change rotate-authority}. */
@Command(
        name = "rotate-authority",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Exchanges a certification authority. front-proxy, whose certificates API servers show to aggregated ones: API servers trust a new one beside the former one, and tell aggregated servers of both; then they"
                    + " show a certificate that the new one issued, and the command ends. Each step is a change of the API server that the keeper carries out; no request of a client fails, nor of one of an aggregated server that follows"
                    + " ConfigMap extension-apiserver-authentication.",
            "Then --finish has the former one go, or --take-back the new one. Until then the new one's key is in the cluster alone, and the asset directory trusts both.",
            "May be killed at any moment: run again, it sees from the cluster which step is next."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:there is one authority only",
            "1:a step failed, or time is up",
            "2:bad usage, a cluster that cannot, or a step that somebody took back",
            "3:what is shown is of the new authority, and the former one is trusted too: look whether aggregated API servers are available, then --finish or --take-back"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro change rotate-authority front-proxy --asset-dir ./assets",
            "  ouro change rotate-authority front-proxy --asset-dir ./assets --finish"
        })
final class RotateAuthorityCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(
            paramLabel = "AUTHORITY",
            converter = RotatedAuthority.Converter.class,
            completionCandidates = RotatedAuthority.Converter.class,
            description = "Which one: ${COMPLETION-CANDIDATES}.")
    private RotatedAuthority authority = RotatedAuthority.FRONT_PROXY;

    @Mixin
    private RotationOptions options = new RotationOptions();

    @ArgGroup
    private End end = new End();

    /** How a rotation ends that has reached the point where both authorities are trusted. */
    static final class End {
        @Option(
                names = "--finish",
                description = "The former authority goes: nothing that it issued is believed any more.")
        private boolean finish;

        @Option(
                names = "--take-back",
                description = "The new authority goes: API servers show again what they showed before.")
        private boolean takeBack;

        private Aim aim() {
            if (takeBack) {
                return Aim.TAKE_BACK;
            }
            return finish ? Aim.FINISH : Aim.SHOW;
        }
    }

    @Override
    public Integer call() {
        return options.run(spec, this::rotate);
    }

    private RotationOutcome rotate(KeyRotations rotations) {
        return switch (authority) {
            case FRONT_PROXY -> rotations.frontProxyAuthority(end.aim());
        };
    }
}
