package dev.ouroboros.etcd.membership;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.render.pki.Pem;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a node needs besides its certificate to start a member of etcd, all of it public: an annotation of its request. Whoever may write annotations could give the node a manifest, so that it is signed by who signed the
 * certificate.
 *
 * @param request name of the request that it is for
 * @param member ID of the member that it may start, in hexadecimal
 * @param manifest of that member
 * @param authority in PEM, which signed the certificates of clients and servers
 * @param peerAuthority in PEM, which signed those of members for each other
 * @param servers client URLs of the other members
 * @param databaseBytes size of the largest database of theirs; 0 in a grant of before
 */
record MemberGrant(
        String request,
        String member,
        String manifest,
        String authority,
        String peerAuthority,
        List<String> servers,
        long databaseBytes) {
    static final String ANNOTATION = "ouroboros.dev/etcd-member";
    private static final String WITHDRAWN = "withdrawn";
    private static final String SIGNATURE = "signature";
    private static final String DATABASE_BYTES = "databaseBytes";

    MemberGrant {
        servers = List.copyOf(servers);
    }

    private Json.Fields content() {
        return Json.object()
                .with("request", Json.text(request))
                .with("member", Json.text(member))
                .with("manifest", Json.text(manifest))
                .with("authority", Json.text(authority))
                .with("peerAuthority", Json.text(peerAuthority))
                .with("servers", Json.texts(servers));
    }

    /** Not signed, so that a node with an older ouro knows the signature: whoever writes another size makes a node refuse, and who may do that may withdraw the grant. */
    private Json.Fields withSize() {
        return content().with(DATABASE_BYTES, Json.number(databaseBytes));
    }

    /** @param key of the authority */
    String signed(PrivateKey key) {
        try {
            Signature signer = Signature.getInstance(Credential.signatureAlgorithm(key));
            signer.initSign(key);
            signer.update(JsonText.write(content()));
            return text(withSize().with(SIGNATURE, Json.text(Base64.getEncoder().encodeToString(signer.sign()))));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("an authority's key cannot sign", e);
        }
    }

    private static String text(Json json) {
        return new String(JsonText.write(json), StandardCharsets.UTF_8);
    }

    /** As it is kept on the node, which has verified it. */
    String kept() {
        return text(withSize());
    }

    /** In the place of a grant: the node may start nothing, or nothing any more. */
    static String withdrawn(String why) {
        return text(Json.object().with(WITHDRAWN, Json.text(why)));
    }

    /** Why there is no grant any more, if the text says that. */
    static Optional<String> whyWithdrawn(String text) {
        return read(text).at(WITHDRAWN).text();
    }

    /** ID of the member that a text lets a node start, whoever wrote it; empty when it is no grant. */
    static Optional<String> memberIn(String text) {
        return ofKept(text).map(MemberGrant::member);
    }

    /**
     * The grant in a text.
     *
     * @param certificate in PEM, which the authority signed for the node
     * @param request that both are for
     * @return empty when it is none, or for another request, or when it is not signed by the authority of the certificate
     */
    static Optional<MemberGrant> verified(String text, String certificate, String request) {
        Optional<X509Certificate> leaf = Pem.certificate(certificate);
        Optional<String> signature = read(text).at(SIGNATURE).text();
        return ofKept(text)
                .filter(grant -> grant.request().equals(request))
                .filter(grant -> leaf.isPresent()
                        && signature.isPresent()
                        && Pem.certificates(grant.authority())
                                .anyMatch(authority -> hasSigned(authority, leaf.get())
                                        && hasSigned(authority, grant, signature.get())));
    }

    private static boolean hasSigned(X509Certificate authority, X509Certificate leaf) {
        try {
            leaf.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            // By another one: the caller says that nobody's is right.
            return false;
        }
    }

    private static boolean hasSigned(X509Certificate authority, MemberGrant grant, String signature) {
        try {
            Signature verifier = Signature.getInstance(
                    authority.getPublicKey().getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA");
            verifier.initVerify(authority.getPublicKey());
            verifier.update(JsonText.write(grant.content()));
            return verifier.verify(Base64.getDecoder().decode(signature));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    /** The grant in a text of {@link #kept}; empty when it is none. */
    static Optional<MemberGrant> ofKept(String text) {
        Json root = read(text);
        Optional<String> request = root.at("request").text();
        Optional<String> member = root.at("member").text();
        Optional<String> manifest = root.at("manifest").text();
        Optional<String> authority = root.at("authority").text();
        Optional<String> peerAuthority = root.at("peerAuthority").text();
        List<String> servers = root.at("servers").items().stream()
                .flatMap(server -> server.text().stream())
                .toList();
        boolean isWhole =
                Stream.of(request, member, manifest, authority, peerAuthority).allMatch(Optional::isPresent)
                        && !servers.isEmpty();
        return isWhole
                ? Optional.of(new MemberGrant(
                        request.orElseThrow(),
                        member.orElseThrow(),
                        manifest.orElseThrow(),
                        authority.orElseThrow(),
                        peerAuthority.orElseThrow(),
                        servers,
                        root.at(DATABASE_BYTES).integer().orElse(0)))
                : Optional.empty();
    }

    private static Json read(String text) {
        try {
            return JsonText.read(text);
        } catch (JsonText.MalformedJson e) {
            // Somebody else's text: neither a grant nor the end of one.
            return Json.absent();
        }
    }
}
