package dev.ouroboros.render.pki;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** PEM texts of somebody's client certificate, and where they come from. */
public record ClientCredential(
        String ca,
        String caWhere,
        String certificate,
        String certificateWhere,
        String privateKey,
        String privateKeyWhere) {

    /** What is wrong with the certificate and key at this time. */
    public List<Problem> check(Instant now) {
        List<Problem> problems = new ArrayList<>();
        Optional<X509Certificate> authority = Pem.certificate(ca);
        Optional<X509Certificate> leaf = Pem.certificate(certificate);
        Optional<PrivateKey> key = Pem.privateKey(privateKey);
        if (authority.isEmpty()) {
            problems.add(problem(caWhere, "holds no certificate", "a certificate in PEM"));
        }
        if (leaf.isEmpty()) {
            problems.add(problem(certificateWhere, "holds no certificate", "a certificate in PEM"));
        }
        if (key.isEmpty()) {
            problems.add(problem(privateKeyWhere, "holds no private key", "a private key in PEM without a password"));
        }
        authority
                .filter(found -> found.getNotAfter().toInstant().isBefore(now))
                .ifPresent(found -> problems.add(
                        problem(caWhere, "expired on " + found.getNotAfter().toInstant(), "a valid authority")));
        leaf.filter(found -> found.getNotAfter().toInstant().isBefore(now))
                .ifPresent(found -> problems.add(problem(
                        certificateWhere, "expired on " + found.getNotAfter().toInstant(), "a valid certificate")));
        if (leaf.isPresent() && key.isPresent() && !new Credential(leaf.get(), key.get()).fits()) {
            problems.add(problem(
                    privateKeyWhere, "does not belong to the certificate", "the private key of " + certificateWhere));
        }
        return problems;
    }

    private static Problem problem(String where, String what, String expected) {
        return new Problem(
                ErrorCode.INVALID_KEY_MATERIAL,
                where,
                what,
                expected,
                "give the three files as etcd's authority made them: CA, certificate and key of one client");
    }
}
