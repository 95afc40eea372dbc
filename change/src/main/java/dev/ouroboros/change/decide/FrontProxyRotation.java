package dev.ouroboros.change.decide;

import dev.ouroboros.change.decide.FrontProxyFiles.Place;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.pki.Pem;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The next step on the way to another authority of the front proxy: of the certificate that API servers show to aggregated ones, which believe what it says of users. It follows from what the cluster shows; nothing
 * else is remembered. No aggregated API server is shown a certificate of an authority that it was not told of:
 *
 * <ol>
 *   <li>the new authority is {@link Place#ABSENT}: every API server is to trust it beside the former one, and to tell aggregated ones of both (ConfigMap {@code extension-apiserver-authentication});
 *   <li>it is {@link Place#TRUSTED}, and aggregated ones were told: API servers are to show a certificate that it issued, and to keep the former one in their Secret;
 *   <li>it is {@link Place#SHOWN}: somebody is to say whether the former authority goes, or all is taken back;
 *   <li>then it is {@link Place#ALONE}, or ABSENT again: aggregated API servers are told of those alone that API servers trust, and authorities of ours that nobody trusts are forgotten.
 * </ol>
 *
 * <p>No step begins before every API server that runs, or could be started from a checkpoint, is of the template of the step before ({@link EarlierServers}).
 */
public final class FrontProxyRotation {
    /** Value of {@link SecretFiles#AUTHORITY_LABEL}. */
    public static final String AUTHORITY = "front-proxy";

    /** In the ConfigMap from which aggregated API servers learn whom to believe. */
    private static final String PUBLISHED = "requestheader-client-ca-file";

    /** A steward has certificates that are due issued again within minutes, a person on the same day. */
    private static final Duration ISSUED_AGAIN_WITHIN = Duration.ofDays(1);

    private FrontProxyRotation() {}

    /** Where it is to go. */
    public enum Aim {
        /** To where the new authority has issued what is shown, and both are trusted. */
        SHOW,
        /** On from there: the former authority goes. */
        FINISH,
        /** Back from there: the new one goes. */
        TAKE_BACK
    }

    /**
     * What the cluster shows.
     *
     * @param daemonSet of the API server
     * @param configMap that aggregated API servers go by; absent where there is none
     * @param authorities Secrets with authorities that rotations made
     * @param unavailable names of APIServices whose server is not available
     * @param waitedFor what {@link EarlierServers} says
     */
    public record Seen(
            Json daemonSet,
            FrontProxyFiles files,
            Json configMap,
            List<SecretFiles> authorities,
            List<String> unavailable,
            Optional<String> waitedFor) {
        public Seen {
            authorities = List.copyOf(authorities);
            unavailable = List.copyOf(unavailable);
        }

        /** How far the template is: more is further. */
        public int step(String goal, Aim aim) {
            int forward = switch (files.placeOf(goal)) {
                case ABSENT -> 0;
                case TRUSTED -> 1;
                case SHOWN -> 2;
                case ALONE -> 3;
            };
            return aim == Aim.TAKE_BACK ? 3 - forward : forward;
        }

        /** What the template's servers do with the authority, for people. */
        public String describe(String goal) {
            return "the template "
                    + switch (files.placeOf(goal)) {
                        case ABSENT -> "does not know authority " + goal;
                        case TRUSTED -> "trusts authority " + goal + " too, and shows a certificate of the former one";
                        case SHOWN -> "shows a certificate of authority " + goal + ", and trusts the former one too";
                        case ALONE -> "shows a certificate of authority " + goal + ", and the former one is gone";
                    };
        }

        /** The same with another Secret in the template. */
        public Seen with(SecretFiles secret, Json changed) {
            return new Seen(changed, files.in(secret), configMap, authorities, unavailable, waitedFor);
        }

        Rollout rollout() {
            return Rollout.ofDaemonSet(daemonSet).unless(waitedFor);
        }

        private Stream<X509Certificate> publishedAuthorities() {
            return Pem.certificates(configMap.at("data", PUBLISHED).text().orElse(""));
        }

        private Set<String> published() {
            return publishedAuthorities().map(FrontProxyFiles::nameOf).collect(Collectors.toSet());
        }

        private Set<String> trusted() {
            return files.trusted().stream().map(FrontProxyFiles::nameOf).collect(Collectors.toSet());
        }

        /** Whether aggregated API servers are told of one that no API server trusts any more. */
        private boolean isTooMuchPublished() {
            return !trusted().containsAll(published());
        }

        /** The authority of this name, with its key. */
        public Optional<Credential> authority(String goal) {
            return authorities.stream()
                    .flatMap(FrontProxyRotation::credentials)
                    .filter(one -> FrontProxyFiles.nameOf(one.certificate()).equals(goal))
                    .findFirst();
        }

        /** Secrets with authorities that no API server trusts. */
        private List<SecretFiles> forgotten() {
            Set<String> trusted = trusted();
            return authorities.stream()
                    .filter(secret -> credentials(secret)
                            .map(one -> FrontProxyFiles.nameOf(one.certificate()))
                            .noneMatch(trusted::contains))
                    .toList();
        }
    }

    /** What is to be done now. */
    public sealed interface Step {
        record Wait(String why) implements Step {}

        record Stopped(String why) implements Step {}

        /**
         * The template is to mount this Secret instead.
         *
         * @param what it changes, for people
         */
        record Change(SecretFiles secret, Json.Fields daemonSet, String what) implements Step {}

        /** Aggregated API servers are to go by this. */
        record Publish(Json.Fields configMap) implements Step {}

        /** Secrets with authorities that nobody trusts any more are to be deleted. */
        record Forget(List<SecretFiles> former) implements Step {
            public Forget {
                former = List.copyOf(former);
            }
        }

        /** Both authorities are trusted, and nobody has said which one goes. */
        record Remains(List<String> reasons) implements Step {
            public Remains {
                reasons = List.copyOf(reasons);
            }
        }

        record Finished() implements Step {}
    }

    /** A Secret that holds a new authority until it takes the place of the former one, and from then on. */
    public static SecretFiles secretOf(Credential authority, String certificateFile, String keyFile) {
        return SecretFiles.ofAuthority(
                AUTHORITY,
                Rotation.FRONT_PROXY_AUTHORITY,
                FrontProxyFiles.nameOf(authority.certificate()),
                Map.of(certificateFile, Pem.of(authority.certificate()), keyFile, Pem.of(authority.privateKey())));
    }

    /**
     * The authority of the rotation that is to be gone on with; empty when a new one is to be made.
     *
     * @param isCurrent whether an authority that was made, and that nobody trusts yet, is good for long enough
     * @throws ProblemException CHANGE_REFUSED when there is nothing to go on with in that way
     */
    public static Optional<String> goal(Seen seen, Aim aim, Predicate<Credential> isCurrent) {
        Optional<String> begun = begun(seen);
        return switch (aim) {
            case SHOW -> {
                begun.ifPresent(goal -> requireKey(seen, goal));
                yield begun.or(() -> prepared(seen, isCurrent));
            }
            // These two say that it is done when they are run again.
            case FINISH -> {
                String issuer = FrontProxyFiles.nameOf(seen.files().issuer());
                boolean isDone = begun.isEmpty() && seen.authority(issuer).isPresent();
                if (!seen.files().hasFormer() && !isDone) {
                    throw refused(
                            "API servers show no certificate of a new authority yet",
                            "run it without --finish first, and look whether aggregated API servers are available then");
                }
                requireKey(seen, issuer);
                yield Optional.of(issuer);
            }
            case TAKE_BACK -> {
                Optional<String> made =
                        begun.or(() -> prepared(seen, _ -> true)).or(() -> published(seen));
                yield Optional.of(made.orElseGet(() -> untouched(seen)));
            }
        };
    }

    /** One that is trusted beside that which issued what was shown before the rotation. What was rendered meanwhile says no more of it than that. */
    private static Optional<String> begun(Seen seen) {
        String issuer = FrontProxyFiles.nameOf(seen.files().issuer());
        if (seen.files().hasFormer()) {
            return Optional.of(issuer);
        }
        Set<String> trusted = seen.trusted();
        return Stream.concat(
                        seen.authorities().stream()
                                .flatMap(FrontProxyRotation::credentials)
                                .map(one -> FrontProxyFiles.nameOf(one.certificate())),
                        seen.files().secret().goal(Rotation.FRONT_PROXY_AUTHORITY).stream())
                .filter(name -> trusted.contains(name) && !name.equals(issuer))
                .findFirst();
    }

    /** One that was made for a rotation, and that no API server trusts yet: an older one is what is left of a rotation before. */
    private static Optional<String> prepared(Seen seen, Predicate<Credential> isCurrent) {
        return seen.forgotten().stream()
                .flatMap(FrontProxyRotation::credentials)
                .filter(one -> isCurrent.test(one) && isNewer(one.certificate(), seen))
                .map(one -> FrontProxyFiles.nameOf(one.certificate()))
                .findFirst();
    }

    /** One whose Secret is gone, and that aggregated API servers were told of. */
    private static Optional<String> published(Seen seen) {
        Set<String> trusted = seen.trusted();
        return seen.publishedAuthorities()
                .filter(one -> isNewer(one, seen))
                .map(FrontProxyFiles::nameOf)
                .filter(name -> !trusted.contains(name))
                .findFirst();
    }

    private static boolean isNewer(X509Certificate authority, Seen seen) {
        return !authority
                .getNotBefore()
                .toInstant()
                .isBefore(seen.files().issuer().getNotBefore().toInstant());
    }

    /** The one that is in use, where none was made in its place. */
    private static String untouched(Seen seen) {
        String issuer = FrontProxyFiles.nameOf(seen.files().issuer());
        if (seen.authority(issuer).isPresent()) {
            throw refused(
                    "no new authority is there that could go: the former one is gone already",
                    "see which authorities there are: ouro certificates");
        }
        return issuer;
    }

    private static void requireKey(Seen seen, String goal) {
        boolean isAlone = seen.files().placeOf(goal) == Place.ALONE;
        if (!isAlone && seen.authority(goal).isEmpty()) {
            throw refused(
                    "the Secret of kube-system with the key of authority " + goal + " is gone",
                    "take it back, and begin anew: ouro change rotate-authority front-proxy --take-back");
        }
    }

    /**
     * Requires that what is shown again, when the authority is taken back, is good until somebody has had it issued again: while it is not shown nobody has.
     *
     * @throws ProblemException CHANGE_REFUSED when it is not
     */
    public static void requireGoodFormer(Seen seen, Instant now) {
        seen.files()
                .former()
                .map(former -> former.getNotAfter().toInstant())
                .filter(end -> end.isBefore(now.plus(ISSUED_AGAIN_WITHIN)))
                .ifPresent(end -> {
                    throw refused(
                            "what API servers showed before, and would show again, is good until " + end
                                    + " only: aggregated API servers would refuse it then",
                            "go on instead of back: see whether aggregated API servers are available (kubectl get apiservices), then ouro change rotate-authority front-proxy --finish");
                });
    }

    private static ProblemException refused(String what, String next) {
        return ProblemException.of(ErrorCode.CHANGE_REFUSED, "the front proxy's authority", what, "", next);
    }

    /**
     * The next step.
     *
     * @param goal name of the authority
     * @param prepared a Secret that an earlier run made and no template mounts, which is taken instead of a certificate that is issued anew
     * @param issued what a new authority issues in the place of what is shown
     */
    public static Step next(
            Seen seen, String goal, Aim aim, Optional<SecretFiles> prepared, Function<Credential, Credential> issued) {
        return switch (seen.rollout()) {
            case Rollout.Moving(String why) -> new Step.Wait(why);
            case Rollout.Stopped(String why) -> new Step.Stopped(why);
            case Rollout.Settled() ->
                aim == Aim.TAKE_BACK ? back(seen, goal) : forward(seen, goal, aim, prepared, issued);
        };
    }

    private static Step forward(
            Seen seen, String goal, Aim aim, Optional<SecretFiles> prepared, Function<Credential, Credential> issued) {
        return switch (seen.files().placeOf(goal)) {
            case ABSENT ->
                seen.authority(goal)
                        .<Step>map(authority -> change(
                                seen,
                                seen.files().trusting(goal, authority.certificate()),
                                "trusts authority " + goal + " of the front proxy too"))
                        .orElseGet(() -> withoutKey(goal));
            case TRUSTED ->
                seen.published().contains(goal)
                        ? shown(seen, goal, prepared, issued)
                        : new Step.Wait("aggregated API servers to be told of authority " + goal
                                + " (ConfigMap kube-system/extension-apiserver-authentication)");
            case SHOWN ->
                aim == Aim.FINISH
                        ? change(
                                seen,
                                seen.files().withoutFormer(goal),
                                "trusts the former authority of the front proxy no more")
                        : new Step.Remains(remains(seen));
            case ALONE -> ended(seen);
        };
    }

    private static Step back(Seen seen, String goal) {
        return switch (seen.files().placeOf(goal)) {
            case TRUSTED, SHOWN ->
                change(seen, seen.files().takenBack(goal), "trusts authority " + goal + " of the front proxy no more");
            case ABSENT, ALONE -> ended(seen);
        };
    }

    private static Step withoutKey(String goal) {
        return new Step.Stopped("the Secret of kube-system with the key of authority " + goal + " is gone");
    }

    private static Step shown(
            Seen seen, String goal, Optional<SecretFiles> prepared, Function<Credential, Credential> issued) {
        String what = "shows a certificate of authority " + goal + " of the front proxy";
        if (prepared.isPresent()) {
            return change(seen, prepared.get(), what);
        }
        return seen.authority(goal)
                .<Step>map(authority -> change(seen, seen.files().showing(goal, issued.apply(authority)), what))
                .orElseGet(() -> withoutKey(goal));
    }

    private static List<String> remains(Seen seen) {
        List<String> reasons = new ArrayList<>();
        seen.unavailable()
                .forEach(
                        name -> reasons.add(
                                "APIService " + name
                                        + " is not available: see whether its server knows the new authority (one that reads ConfigMap extension-apiserver-authentication at its start alone has to be started anew)"));
        reasons.add("nobody has said yet that the former authority may go");
        return reasons;
    }

    /** API servers add to the ConfigMap what they trust, and take out only what has ended (kubernetes, pkg/controlplane/controller/clusterauthenticationtrust). */
    private static Step ended(Seen seen) {
        if (seen.isTooMuchPublished()) {
            Json.Fields data = new Json.Fields(seen.configMap().at("data").fields())
                    .with(PUBLISHED, Json.text(seen.files().trustText()));
            return new Step.Publish(((Json.Fields) seen.configMap()).with("data", data));
        }
        return seen.forgotten().isEmpty() ? new Step.Finished() : new Step.Forget(seen.forgotten());
    }

    private static Step change(Seen seen, SecretFiles secret, String what) {
        return new Step.Change(
                secret,
                MountedFile.withSecret(seen.daemonSet(), seen.files().secret().name(), secret.name()),
                what);
    }

    private static Stream<Credential> credentials(SecretFiles secret) {
        return new CertificateFiles(secret).authorities().stream();
    }
}
