package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The API at our own kubeconfig's server, with this node's kubelet as the user: it may change its own node's objects and no other's (NodeRestriction
 * admission).
 *
 * @param kubeconfig our own, as JSON
 * @param certificate the kubelet's certificate and key, which the kubelet replaces before they expire
 */
public record KubeletIdentitySource(Disk disk, Path kubeconfig, Path certificate) implements EndpointSource {
    /** Separates the two parts of the text: neither can contain it. */
    private static final String BORDER = "\0";

    private static final Pattern SEC1 =
            Pattern.compile("-----BEGIN EC PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END EC PRIVATE KEY-----");
    /**
     * Of a PKCS#8 key: version 0 and the algorithm, elliptic curve prime256v1. The kubelet makes no other kind of key (client-go, util/certificate,
     * 1.20 to 1.36).
     */
    private static final byte[] P256 = HexFormat.of().parseHex("020100301306072a8648ce3d020106082a8648ce3d030107");

    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;

    @Override
    public String text() throws ApiException {
        return read(kubeconfig) + BORDER + read(certificate);
    }

    private String read(Path file) throws ApiException {
        return disk.readText(file).orElseThrow(() -> new ApiException(Kind.NO_CREDENTIALS, file + ": no such file"));
    }

    @Override
    public Endpoint endpoint(String text) {
        int border = text.indexOf(BORDER);
        Json.Fields user = Json.object()
                .with("client-certificate-data", encoded(text.substring(border + 1)))
                .with("client-key-data", encoded(inPkcs8(text.substring(border + 1))));
        return KubeconfigJson.read(kubeconfig, withUser(text.substring(0, border), user), Optional.empty());
    }

    private static Json encoded(String pem) {
        return Json.text(Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    private String withUser(String text, Json.Fields user) {
        try {
            Json read = JsonText.read(text);
            Json.Fields config = read instanceof Json.Fields fields ? fields : Json.object();
            return JsonText.text(config.with(
                    "users",
                    Json.items(config.at("users").items().stream()
                            .map(each -> each instanceof Json.Fields named ? named.with("user", user) : each))));
        } catch (MalformedJson e) {
            throw unusable(kubeconfig, "is not JSON: " + e.getMessage());
        }
    }

    /** The key in PKCS#8 (RFC 5208), which the JDK reads. The kubelet writes an ECPrivateKey (RFC 5915), which is the inner part of one. */
    private String inPkcs8(String pem) {
        Matcher matcher = SEC1.matcher(pem);
        if (!matcher.find()) {
            // It is in PKCS#8 already, which is left to the reader.
            return pem;
        }
        try {
            byte[] inner = Base64.getMimeDecoder().decode(matcher.group(1));
            byte[] whole = tagged(SEQUENCE, joined(P256, tagged(OCTETS, inner)));
            return "-----BEGIN PRIVATE KEY-----\n" + Base64.getEncoder().encodeToString(whole)
                    + "\n-----END PRIVATE KEY-----\n";
        } catch (IllegalArgumentException e) {
            throw unusable(certificate, "holds no key in Base64");
        }
    }

    /** A DER value: a tag, the length, the content. */
    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length >= 0x100) {
            out.write(0x82);
            out.write(content.length >> 8);
        } else if (content.length >= 0x80) {
            out.write(0x81);
        }
        out.write(content.length & 0xff);
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] joined(byte[] first, byte[] second) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(first);
        out.writeBytes(second);
        return out.toByteArray();
    }

    private static ProblemException unusable(Path file, String what) {
        return ProblemException.of(
                ErrorCode.INVALID_KEY_MATERIAL,
                file.toString(),
                what,
                "the kubeconfig of ours, and the certificate and key that the kubelet writes",
                "journalctl -u kubelet says whether the kubelet gets a certificate");
    }
}
