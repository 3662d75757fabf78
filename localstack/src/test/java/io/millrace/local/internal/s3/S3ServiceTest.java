package io.millrace.local.internal.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.local.internal.wire.AwsRequest;
import io.millrace.local.internal.wire.AwsResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** S3 as it is on the wire; {@code S3ContractTest} sees it through the SDK. */
class S3ServiceTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-03-04T05:06:07.890Z"), ZoneOffset.UTC);
    private static final String ACCOUNT = "000000000000";
    private static final String HELLO_CRC32 = "NhCmhg==";

    private final S3Service s3 = service("us-east-1", 7);

    S3ServiceTest() {
        send("PUT", "/bkt", Map.of(), "");
    }

    @Test
    void bucketIsInThePathOrInTheHost() {
        send("PUT", "/bkt/dir/k", Map.of(), "hello");
        for (String host : List.of(
                "bkt.s3.us-east-1.amazonaws.com",
                "bkt.s3.amazonaws.com:443",
                "bkt.s3-us-west-2.amazonaws.com",
                "bkt.localhost:4566",
                "BKT.localhost",
                "bkt.s3.localhost:4566",
                "bkt.s3.localhost.localstack.cloud:4566")) {
            assertThat(text(send("GET", "/dir/k", Map.of("Host", host), "")))
                    .as(host)
                    .isEqualTo("hello");
        }
        for (String host : List.of(
                "s3.us-east-1.amazonaws.com",
                "s3.amazonaws.com",
                "localhost:4566",
                "s3.localhost",
                "127.0.0.1:4566",
                "[::1]:80",
                "s3.localhost.localstack.cloud:4566")) {
            assertThat(text(send("GET", "/bkt/dir/k", Map.of("Host", host), "")))
                    .as(host)
                    .isEqualTo("hello");
        }
    }

    @Test
    void bucketOfTheHostMayHaveDots() {
        send("PUT", "/", Map.of("Host", "my.s3.bucket.s3.amazonaws.com"), "");
        assertThat(send("HEAD", "/my.s3.bucket", Map.of(), "").status()).isEqualTo(200);
    }

    @Test
    void errorIsADocument() {
        AwsResponse response = send("GET", "/bkt/missing%20key", Map.of(), "");
        assertThat(response.status()).isEqualTo(404);
        assertThat(response.headers()).containsEntry("Content-Type", "application/xml");
        assertThat(text(response))
                .startsWith("<?xml version=\"1.0\"")
                .contains("<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message>"
                        + "<Key>missing key</Key><RequestId>"
                        + response.headers().get("x-amz-request-id") + "</RequestId>");
    }

    @Test
    void answerToHeadHasNoBody() {
        send("PUT", "/bkt/k", Map.of(), "hello");
        AwsResponse found = send("HEAD", "/bkt/k", Map.of(), "");
        assertThat(found.body()).isEmpty();
        assertThat(found.headers()).containsEntry("Content-Length", "5");
        AwsResponse missing = send("HEAD", "/bkt/missing", Map.of(), "");
        assertThat(missing.status()).isEqualTo(404);
        assertThat(missing.body()).isEmpty();
    }

    @Test
    void timesAreTheClocksInWholeSeconds() {
        send("PUT", "/bkt/k", Map.of(), "hello");
        assertThat(send("GET", "/bkt/k", Map.of(), "").headers())
                .containsEntry("Last-Modified", "Wed, 04 Mar 2026 05:06:07 GMT");
        assertThat(text(send("GET", "/bkt?list-type=2", Map.of(), "")))
                .contains("<LastModified>2026-03-04T05:06:07.000Z</LastModified>");
    }

    @Test
    void sameSeedAndRequestsGiveTheSameAnswers() {
        assertThat(story(service("us-east-1", 3))).isEqualTo(story(service("us-east-1", 3)));
        assertThat(story(service("us-east-1", 3))).isNotEqualTo(story(service("us-east-1", 4)));
    }

    @Test
    void bucketNamesHaveRules() {
        for (String name : List.of(
                "ab",
                "UPPER-case",
                "under_score",
                "-begins",
                "ends-",
                "dots..dots",
                "192.168.5.4",
                "xn--a",
                "sthree-a",
                "amzn-s3-demo-a",
                "a-s3alias",
                "a--ol-s3",
                "a.mrap",
                "a--x-s3",
                "a--table-s3",
                "x".repeat(64))) {
            assertThat(code(send("PUT", "/" + name, Map.of(), ""))).as(name).isEqualTo("InvalidBucketName");
        }
        for (String name : List.of("abc", "1.2.3", "a-b.c-d", "x".repeat(63))) {
            assertThat(send("PUT", "/" + name, Map.of(), "").status()).as(name).isEqualTo(200);
        }
    }

    @Test
    void bucketsAreBounded() {
        for (int i = 1; i < S3Limits.BUCKETS_MAX; i++) {
            send("PUT", "/bucket-" + i, Map.of(), "");
        }
        assertThat(code(send("PUT", "/one-more", Map.of(), ""))).isEqualTo("TooManyBuckets");
        assertThat(send("PUT", "/bucket-1", Map.of(), "").status()).isEqualTo(200);
    }

    @Test
    void bucketIsOfTheRegion() {
        String there = "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                + "<LocationConstraint>eu-west-1</LocationConstraint></CreateBucketConfiguration>";
        String oldest = there.replace("eu-west-1", "us-east-1");
        assertThat(code(send("PUT", "/new", Map.of(), there))).isEqualTo("IllegalLocationConstraintException");
        assertThat(code(send("PUT", "/new", Map.of(), oldest))).isEqualTo("InvalidLocationConstraint");
        S3Service irish = service("eu-west-1", 7);
        assertThat(code(send(irish, "PUT", "/new", Map.of(), ""))).isEqualTo("IllegalLocationConstraintException");
        assertThat(send(irish, "PUT", "/new", Map.of(), there).status()).isEqualTo(200);
        AwsResponse again = send(irish, "PUT", "/new", Map.of(), there);
        assertThat(code(again)).isEqualTo("BucketAlreadyOwnedByYou");
        assertThat(again.status()).isEqualTo(409);
    }

    @Test
    void bucketsAreListedInPages() {
        send("PUT", "/c-bucket", Map.of(), "");
        send("PUT", "/a-bucket", Map.of(), "");
        String first = text(send("GET", "/?max-buckets=1", Map.of(), ""));
        assertThat(first).contains("<Name>a-bucket</Name>").doesNotContain("<Name>bkt</Name>", "<Name>c-bucket</Name>");
        String token = first.replaceAll(".*<ContinuationToken>(.*)</ContinuationToken>.*", "$1");
        String second = text(send("GET", "/?max-buckets=2&continuation-token=" + token, Map.of(), ""));
        assertThat(second).contains("<Name>c-bucket</Name>").doesNotContain("a-bucket", "ContinuationToken");
        assertThat(text(send("GET", "/?prefix=c-", Map.of(), "")))
                .contains("<Name>c-bucket</Name>")
                .doesNotContain("a-bucket");
        assertThat(code(send("GET", "/?max-buckets=0", Map.of(), ""))).isEqualTo("InvalidArgument");
    }

    /** Both forms in which the SDK signs a body in chunks, or does not. */
    @Test
    void chunkedBodyIsDecodedAndVerified() {
        for (String form :
                List.of("STREAMING-UNSIGNED-PAYLOAD-TRAILER", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")) {
            Map<String, String> headers = Map.of(
                    "x-amz-content-sha256", form,
                    "x-amz-decoded-content-length", "5",
                    "x-amz-trailer", "x-amz-checksum-crc32",
                    "content-encoding", "aws-chunked");
            String signature = form.contains("HMAC") ? ";chunk-signature=0123" : "";
            String head = "5" + signature + "\r\nhello\r\n0" + signature + "\r\n";
            AwsResponse put = send("PUT", "/bkt/k", headers, head + "x-amz-checksum-crc32:" + HELLO_CRC32 + "\r\n\r\n");
            assertThat(put.status()).isEqualTo(200);
            assertThat(put.headers())
                    .containsEntry("x-amz-checksum-crc32", HELLO_CRC32)
                    .containsEntry("x-amz-checksum-type", "FULL_OBJECT");
            AwsResponse got = send("GET", "/bkt/k", Map.of(), "");
            assertThat(text(got)).isEqualTo("hello");
            assertThat(got.headers()).doesNotContainKey("Content-Encoding");
            assertThat(code(send("PUT", "/bkt/k", headers, head + "x-amz-checksum-crc32:AAAAAA==\r\n\r\n")))
                    .isEqualTo("BadDigest");
            assertThat(code(send("PUT", "/bkt/k", headers, head + "\r\n"))).isEqualTo("MalformedTrailerError");
        }
        assertThat(code(send("PUT", "/bkt/k", Map.of("content-encoding", "aws-chunked"), "0\r\n\r\n")))
                .isEqualTo("MissingContentLength");
    }

    /** The content of parts is signed as a whole, or the digest of the whole is. */
    @Test
    void digestOfTheBodyIsVerified() {
        String sha256 = HexFormat.of()
                .formatHex(ChecksumAlgorithm.digest("SHA-256", List.of("hello".getBytes(StandardCharsets.UTF_8))));
        assertThat(send("PUT", "/bkt/k", Map.of("x-amz-content-sha256", sha256), "hello")
                        .status())
                .isEqualTo(200);
        assertThat(code(send("PUT", "/bkt/k", Map.of("x-amz-content-sha256", sha256), "other")))
                .isEqualTo("XAmzContentSHA256Mismatch");
        assertThat(send("PUT", "/bkt/k", Map.of("x-amz-content-sha256", "UNSIGNED-PAYLOAD"), "other")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void oneChecksumIsGivenAndNotTwo() {
        assertThat(code(send(
                        "PUT",
                        "/bkt/k",
                        Map.of("x-amz-checksum-crc32", HELLO_CRC32, "x-amz-checksum-crc32c", "mnG7TA=="),
                        "hello")))
                .isEqualTo("InvalidRequest");
        assertThat(code(send("PUT", "/bkt/k", Map.of("x-amz-sdk-checksum-algorithm", "CRC32"), "hello")))
                .isEqualTo("InvalidRequest");
        assertThat(code(send("PUT", "/bkt/k", Map.of("x-amz-checksum-xxhash64", "AAAAAAAAAAA="), "hello")))
                .isEqualTo("NotImplemented");
    }

    /** The check values of the algorithms' specifications. */
    @Test
    void checksumsAreTheAlgorithms() {
        byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);
        assertThat(hex(ChecksumAlgorithm.CRC32, digits)).isEqualTo("cbf43926");
        assertThat(hex(ChecksumAlgorithm.CRC32C, digits)).isEqualTo("e3069283");
        assertThat(hex(ChecksumAlgorithm.CRC64NVME, digits)).isEqualTo("ae8b14860a799888");
        assertThat(hex(ChecksumAlgorithm.SHA1, digits)).isEqualTo("f7c3bc1d808e04732adf679965ccc34ca7ae3441");
        assertThat(hex(ChecksumAlgorithm.SHA256, digits))
                .isEqualTo("15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");
    }

    /** S3 computes one itself, so that every object has a checksum. */
    @Test
    void objectWithoutAChecksumGetsOne() {
        send("PUT", "/bkt/k", Map.of(), "123456789");
        assertThat(send("GET", "/bkt/k", Map.of("x-amz-checksum-mode", "ENABLED"), "")
                        .headers())
                .containsEntry("x-amz-checksum-crc64nvme", "rosUhgp5mIg=");
        assertThat(send("GET", "/bkt/k", Map.of(), "").headers()).doesNotContainKey("x-amz-checksum-crc64nvme");
        assertThat(send("GET", "/bkt/k", Map.of("x-amz-checksum-mode", "ENABLED", "Range", "bytes=0-1"), "")
                        .headers())
                .as("of a part")
                .doesNotContainKey("x-amz-checksum-crc64nvme");
    }

    @Test
    void uploadsAreBounded() {
        String most = Long.toString(S3Limits.UPLOAD_BYTES_MAX);
        String more = Long.toString(S3Limits.UPLOAD_BYTES_MAX + 1);
        assertThat(code(send("PUT", "/bkt/k", Map.of("content-length", more), "x")))
                .isEqualTo("EntityTooLarge");
        assertThat(send("PUT", "/bkt/k", Map.of("content-length", most), "x").status())
                .isEqualTo(200);
        assertThat(code(send(
                        "PUT",
                        "/bkt/k",
                        Map.of("content-encoding", "aws-chunked", "x-amz-decoded-content-length", more),
                        "0\r\n\r\n")))
                .isEqualTo("EntityTooLarge");
    }

    @Test
    void keyIsDecodedOnce() {
        send("PUT", "/bkt/a%2Bb+c%2520", Map.of(), "hello");
        assertThat(text(send("GET", "/bkt?list-type=2", Map.of(), ""))).contains("<Key>a+b+c%20</Key>");
        assertThat(code(send("GET", "/bkt/%ff", Map.of(), ""))).isEqualTo("InvalidURI");
        assertThat(code(send("GET", "/bkt/%4", Map.of(), ""))).isEqualTo("InvalidURI");
        assertThat(code(send("GET", "/bkt/%zz", Map.of(), ""))).isEqualTo("InvalidURI");
    }

    @Test
    void manyDeletionsNeedADigest() {
        String document = "<Delete><Object><Key>k</Key></Object></Delete>";
        assertThat(code(send("POST", "/bkt?delete", Map.of(), document))).isEqualTo("InvalidRequest");
        assertThat(send("POST", "/bkt?delete", digested(document), document).status())
                .isEqualTo(200);
    }

    @Test
    void documentsAreReadStrictly() {
        send("PUT", "/bkt/k", Map.of(), "hello");
        for (String document : List.of(
                "",
                "<Delete>",
                "<Delete/>",
                "<Other><Object><Key>k</Key></Object></Other>",
                "<Delete><Object/></Delete>",
                "<Delete><Object><Key>k</Key><Key>l</Key></Object></Delete>",
                "<!DOCTYPE Delete><Delete><Object><Key>k</Key></Object></Delete>",
                "<!DOCTYPE Delete [<!ENTITY e \"k\">]><Delete><Object><Key>&e;</Key></Object></Delete>",
                "<!DOCTYPE Delete [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>"
                        + "<Delete><Object><Key>&e;</Key></Object></Delete>",
                "<Delete><Object><Key>k</Key></Object></Delete><Delete/>",
                "<a>".repeat(1_000) + "</a>".repeat(1_000))) {
            assertThat(code(send("POST", "/bkt?delete", digested(document), document)))
                    .as(document)
                    .isEqualTo("MalformedXML");
        }
        assertThat(send("GET", "/bkt/k", Map.of(), "").status()).isEqualTo(200);
    }

    @Test
    void keysInAnswersAreEscaped() {
        send("PUT", "/bkt/%3C%26%3E%0D%22", Map.of(), "x");
        assertThat(text(send("GET", "/bkt?list-type=2", Map.of(), ""))).contains("<Key>&lt;&amp;&gt;&#13;\"</Key>");
        assertThat(text(send("GET", "/bkt?list-type=2&encoding-type=url", Map.of(), "")))
                .contains("<Key>%3C%26%3E%0D%22</Key>");
    }

    @Test
    void restIsNotImplemented() {
        assertThat(code(send("GET", "/bkt", Map.of(), ""))).isEqualTo("NotImplemented");
        assertThat(code(send("GET", "/bkt?versioning", Map.of(), ""))).isEqualTo("NotImplemented");
        assertThat(code(send("PATCH", "/bkt/k", Map.of(), ""))).isEqualTo("NotImplemented");
        assertThat(code(send("PUT", "/bkt/k", Map.of("x-amz-copy-source", "/bkt/l"), "")))
                .isEqualTo("NotImplemented");
        for (Map<String, String> headers : List.of(
                Map.of("x-amz-server-side-encryption", "aws:kms"),
                Map.of("x-amz-server-side-encryption-customer-algorithm", "AES256"),
                Map.of("x-amz-tagging", "a=b"),
                Map.of("x-amz-acl", "public-read"),
                Map.of("x-amz-object-lock-mode", "GOVERNANCE"))) {
            AwsResponse response = send("PUT", "/bkt/k", headers, "x");
            assertThat(response.status()).as(headers.toString()).isEqualTo(501);
            assertThat(code(response)).isEqualTo("NotImplemented");
        }
        assertThat(send("PUT", "/bkt/k", Map.of("x-amz-server-side-encryption", "AES256", "x-amz-acl", "private"), "x")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void signedUrlIsTaken() {
        send("PUT", "/bkt/k", Map.of(), "hello");
        assertThat(text(send("GET", "/bkt/k?X-Amz-Algorithm=AWS4&X-Amz-Signature=abc&x-id=GetObject", Map.of(), "")))
                .isEqualTo("hello");
    }

    @Test
    void bucketOfAnotherOwnerIsDenied() {
        AwsResponse denied = send("GET", "/bkt?list-type=2", Map.of("x-amz-expected-bucket-owner", "111122223333"), "");
        assertThat(denied.status()).isEqualTo(403);
        assertThat(code(denied)).isEqualTo("AccessDenied");
        assertThat(send("GET", "/bkt?list-type=2", Map.of("x-amz-expected-bucket-owner", ACCOUNT), "")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void servesWhatNamesABucket() {
        assertThat(s3.serves(request("GET", "/", Map.of(), ""))).isTrue();
        assertThat(s3.serves(request("PUT", "/bkt/k", Map.of(), ""))).isTrue();
        assertThat(s3.serves(request("PUT", "/", Map.of("Host", "bkt.localhost"), "")))
                .isTrue();
        assertThat(s3.serves(request("POST", "/", Map.of("Host", "localhost:4566"), "")))
                .isFalse();
    }

    private static String story(S3Service service) {
        StringBuilder answers = new StringBuilder();
        for (String path : List.of("/abc", "/abc/k", "/abc/k?uploads", "/abc/none")) {
            String method = path.contains("?") ? "POST" : path.contains("none") ? "GET" : "PUT";
            AwsResponse response = send(service, method, path, Map.of(), "");
            answers.append(response.headers()).append(text(response)).append('\n');
        }
        return answers.toString();
    }

    private static S3Service service(String region, long seed) {
        return new S3Service(CLOCK, region, ACCOUNT, seed);
    }

    private AwsResponse send(String method, String url, Map<String, String> headers, String body) {
        return send(s3, method, url, headers, body);
    }

    private static AwsResponse send(
            S3Service service, String method, String url, Map<String, String> headers, String body) {
        return service.handle(request(method, url, headers, body));
    }

    private static AwsRequest request(String method, String url, Map<String, String> headers, String body) {
        int question = url.indexOf('?');
        Map<String, List<String>> sent = new HashMap<>();
        headers.forEach((name, value) -> sent.put(name, List.of(value)));
        return new AwsRequest(
                method,
                question < 0 ? url : url.substring(0, question),
                question < 0 ? "" : url.substring(question + 1),
                sent,
                body.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> digested(String document) {
        byte[] md5 = ChecksumAlgorithm.digest("MD5", List.of(document.getBytes(StandardCharsets.UTF_8)));
        return Map.of("Content-MD5", Base64.getEncoder().encodeToString(md5));
    }

    private static String hex(ChecksumAlgorithm algorithm, byte[] content) {
        return HexFormat.of().formatHex(Base64.getDecoder().decode(algorithm.of(List.of(content))));
    }

    private static String text(AwsResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    private static @Nullable String code(AwsResponse response) {
        String text = text(response);
        int start = text.indexOf("<Code>");
        return start < 0 ? null : text.substring(start + "<Code>".length(), text.indexOf("</Code>"));
    }
}
